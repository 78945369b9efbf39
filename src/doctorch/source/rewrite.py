"""The one module that uses libcst: it changes a piece of source and leaves the rest, comments included, as it was.

Nodes are found by the positions that ``ast`` gave. Importing it takes a fifth of a second, so ``edits`` does it when an edit is made.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import libcst as cst
from libcst.helpers import parse_template_expression
from libcst.metadata import MetadataWrapper, PositionProvider

Span = tuple[int, int, int, int]
"""First line (1-based) and column (0-based, in characters), last line and column."""
Line = cst.SimpleStatementLine | cst.BaseCompoundStatement
Statement = Line | cst.BaseSmallStatement
_Node = TypeVar("_Node", bound=cst.CSTNode)

_OPERANDS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript)
"""What takes ``.method()`` or an operator behind it as it is."""
_CLOSED = (
    *_OPERANDS,
    cst.List,
    cst.ListComp,
    cst.Dict,
    cst.DictComp,
    cst.Set,
    cst.SetComp,
)
"""What needs parentheses nowhere."""


class NotFound(Exception):
    """The tree has no such node at the place, or it cannot be changed in this way."""


CANNOT = (NotFound, cst.ParserSyntaxError, cst.CSTValidationError, RecursionError)
"""What a change that cannot be made raises."""


class Rewriter:
    """Collects changes to one piece of source. Each method, and making one, raises one of :data:`CANNOT`."""

    def __init__(self, text: str) -> None:
        # The parser's own tree has no node twice, so that it need not be copied.
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        self.module = wrapper.module
        self._expressions: dict[Span, cst.BaseExpression] = {}
        self._statements: dict[tuple[int, int], Statement] = {}
        self._decorators: dict[cst.BaseExpression, cst.Decorator] = {}
        self._changes: dict[cst.CSTNode, Callable[[cst.CSTNode], cst.CSTNode]] = {}
        self._blocks = _Blocks(self._changes)
        starts: dict[cst.CSTNode, tuple[int, int]] = {}
        positions = wrapper.resolve(PositionProvider)
        for node, place in positions.items():
            starts[node] = (place.start.line, place.start.column)
            if isinstance(node, cst.BaseExpression):
                self._expressions[(place.start.line, place.start.column, place.end.line, place.end.column)] = node
            elif isinstance(node, cst.BaseSmallStatement | cst.BaseCompoundStatement):
                self._statements[starts[node]] = node
            elif isinstance(node, cst.Decorator):
                self._decorators[node.decorator] = node
        for node in positions:
            # ast counts these parentheses to the node, libcst does not.
            if isinstance(node, cst.Tuple | cst.GeneratorExp) and node.lpar and node.rpar:
                first, last = positions[node.lpar[-1]].start, positions[node.rpar[0]].end
                self._expressions[(first.line, first.column, last.line, last.column)] = node
            elif isinstance(node, cst.Call) and len(node.args) == 1 and isinstance(node.args[0].value, cst.GeneratorExp):
                if not node.args[0].value.lpar:  # f(x for x in y): those of the call count
                    first, last = positions[node.whitespace_before_args].start, positions[node].end
                    self._expressions[(first.line, first.column - 1, last.line, last.column)] = node.args[0].value
            elif isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1:
                self._statements[starts[node.body[0]]] = node

    # What is found

    def expression(self, span: Span) -> cst.BaseExpression:
        """The expression at a place."""
        try:
            return self._expressions[span]
        except KeyError:
            raise NotFound from None

    def statement(self, span: Span) -> Statement:
        """The statement that begins at a place: the whole line where it stands alone on it, else the part between semicolons."""
        try:
            return self._statements[span[:2]]
        except KeyError:
            raise NotFound from None

    # Expressions

    def replace(self, span: Span, template: str, parts: Mapping[str, Span], *, parent: ast.AST | None, called: bool) -> None:
        """Put a template in the place of an expression; its parts are expressions of the file.

        Parentheses are added where Python needs them: ``parent`` is what the expression stands in, ``called`` says that it is
        called there.
        """
        old = self.expression(span)
        nodes = {name: self.expression(part) for name, part in parts.items()}
        alone = template in ("{" + name + "}" for name in parts)
        new = parse_template_expression(
            template,
            self.module.config_for_parsing,
            **{name: node if alone or _is_operand(node) else _in_parentheses(node) for name, node in nodes.items()},
        )
        if old not in nodes.values():
            new = _with_outer(new, old)
        self._changes[old] = lambda _: _in_parentheses(new) if self._needs_parentheses(new, parent, called) else new

    def _needs_parentheses(self, new: cst.BaseExpression, parent: ast.AST | None, called: bool) -> bool:
        if new.lpar or isinstance(new, _CLOSED):
            return False
        if isinstance(parent, ast.Call | ast.keyword) and not called:
            return isinstance(new, cst.GeneratorExp)
        if isinstance(parent, ast.Return | ast.Assign | ast.Expr | ast.AnnAssign):
            return not isinstance(new, cst.SimpleString) and "\n" in self.module.code_for_node(new)
        return True

    def wrap(self, span: Span, function: str) -> None:
        """``x`` becomes ``function(x)``."""
        old = self.expression(span)
        name = cst.parse_expression(function, self.module.config_for_parsing)
        self._changes[old] = lambda _: _with_outer(cst.Call(name, [cst.Arg(_without_outer(old))]), old)

    def set_keyword(self, span: Span, name: str, value: str) -> None:
        """Give a call a keyword argument, or another value to the one that it has."""
        call = self.expression(span)
        if not isinstance(call, cst.Call) or any(arg.star == "**" for arg in call.args):
            raise NotFound
        parsed = cst.parse_expression(value, self.module.config_for_parsing)
        for arg in call.args:
            if arg.keyword is not None and arg.keyword.value == name:
                self._changes[arg.value] = lambda _: parsed
                return
        equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
        new = cst.Arg(parsed, keyword=cst.Name(name), equal=equal)
        self._changes[call] = lambda now: now.with_changes(args=_appended(cst.ensure_type(now, cst.Call), new))

    def remove_last_argument(self, span: Span) -> None:
        """Take the last argument out of a call that has several."""
        call = self.expression(span)
        if not isinstance(call, cst.Call) or len(call.args) < 2:
            raise NotFound
        self._changes[call] = lambda now: now.with_changes(args=_shortened(cst.ensure_type(now, cst.Call).args))

    # Statements

    def insert(self, span: Span, text: str, *, after: bool = False) -> None:
        """A statement before or after another one."""
        parsed = cst.parse_statement(text, self.module.config_for_parsing)
        if not isinstance(parsed, cst.SimpleStatementLine):
            raise NotFound
        target = self.statement(span)
        last = target.body[-1] if isinstance(target, cst.SimpleStatementLine) else target
        if after and isinstance(last, cst.Return | cst.Raise | cst.Break | cst.Continue):
            raise NotFound  # what stands there never runs
        self._blocks.insert(target, parsed, after=after)

    def delete(self, span: Span) -> None:
        """Take a statement away. Comments above it stay."""
        self._blocks.removed.add(self.statement(span))

    def move(self, span: Span, before: Span) -> None:
        """Move a simple statement before another one, with the comment on its line."""
        source, target = self.statement(span), self.statement(before)
        if source is target or isinstance(source, cst.BaseCompoundStatement):
            raise NotFound
        line = source if isinstance(source, cst.SimpleStatementLine) else cst.SimpleStatementLine([_without_semicolon(source)])
        self._blocks.insert(target, line.with_changes(leading_lines=()))
        self._blocks.removed.add(source)

    def unwrap(self, span: Span) -> None:
        """The body of a ``with`` statement in place of the statement."""
        statement = self.statement(span)
        if not isinstance(statement, cst.With):
            raise NotFound
        self._blocks.opened.add(statement)

    def remove_decorator(self, span: Span) -> None:
        """Take a decorator away, given the place of its expression."""
        decorator = self._decorators.get(self.expression(span))
        if decorator is None:
            raise NotFound
        self._blocks.decorators.add(decorator)

    def code(self) -> str:
        """The text after all changes."""
        changed = self.module.visit(self._blocks)
        return changed.code if changed.body or changed.header or changed.footer else ""  # libcst ends an empty module with a line


class _Blocks(cst.CSTTransformer):
    """Applies the changes of single nodes, and rebuilds the blocks in which statements come, go or move."""

    def __init__(self, changes: Mapping[cst.CSTNode, Callable[[cst.CSTNode], cst.CSTNode]]) -> None:
        super().__init__()
        self.changes = changes
        self.removed: set[cst.CSTNode] = set()
        self.opened: set[cst.CSTNode] = set()
        self.decorators: set[cst.Decorator] = set()
        self._before: dict[cst.CSTNode, list[cst.SimpleStatementLine]] = {}
        self._after: dict[cst.CSTNode, list[cst.SimpleStatementLine]] = {}

    def insert(self, target: Statement, line: cst.SimpleStatementLine, *, after: bool = False) -> None:
        (self._after if after else self._before).setdefault(target, []).append(line)

    def on_leave(
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> cst.CSTNodeT | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNodeT]:
        updated = super().on_leave(original_node, updated_node)
        change = self.changes.get(original_node)
        if change is None or not isinstance(updated, cst.CSTNode):
            return updated
        return change(updated)  # type: ignore[return-value] # an expression becomes another one

    def _touched(self, node: cst.CSTNode) -> bool:
        return any(node in nodes for nodes in (self.removed, self.opened, self._before, self._after))

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> cst.Module:
        if not any(map(self._touched, original_node.body)):
            return updated_node
        body, left = self._lines(original_node.body, updated_node.body)
        return updated_node.with_changes(body=body, footer=[*left, *updated_node.footer])

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> cst.IndentedBlock:
        if not any(map(self._touched, original_node.body)):
            return updated_node
        body, left = self._lines(original_node.body, updated_node.body)
        if not body:
            body, left = [cst.SimpleStatementLine([cst.Pass()], leading_lines=left)], []
        return updated_node.with_changes(body=body, footer=[*left, *updated_node.footer])

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        return self._parts(original_node, updated_node)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        return self._parts(original_node, updated_node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        if not any(decorator in self.decorators for decorator in original_node.decorators):
            return updated_node
        kept: list[cst.Decorator] = []
        left: list[cst.EmptyLine] = []  # comments above a decorator that goes
        for old, new in zip(original_node.decorators, updated_node.decorators, strict=True):
            if old in self.decorators:
                left.extend(new.leading_lines)
            else:
                kept.append(new.with_changes(leading_lines=[*left, *new.leading_lines]))
                left = []
        return updated_node.with_changes(decorators=kept, lines_after_decorators=[*left, *updated_node.lines_after_decorators])

    def _lines(
        self, old: Sequence[cst.BaseStatement], new: Sequence[cst.BaseStatement]
    ) -> tuple[list[cst.BaseStatement], list[cst.EmptyLine]]:
        """The statements of a block, and comments left over at its end."""
        body: list[cst.BaseStatement] = []
        left: list[cst.EmptyLine] = []
        for before, after in zip(old, new, strict=True):
            own: list[cst.BaseStatement]
            footer: Sequence[cst.EmptyLine] = ()
            leading = [*left, *_leading(after)]
            if before in self.removed:
                own = []
            elif before in self.opened:
                own, footer = _opened(cst.ensure_type(after, cst.With))
            else:
                own = [after.with_changes(leading_lines=())]
            own = [*self._before.get(before, ()), *own, *self._after.get(before, ())]
            if own:
                own[0] = own[0].with_changes(leading_lines=[*leading, *_leading(own[0])])
                leading = []
            left = [*leading, *footer]
            body.extend(own)
        return body, left

    def _parts(self, original: cst.SimpleStatementLine | cst.SimpleStatementSuite, updated: _Node) -> _Node:
        """The statements between the semicolons of one line."""
        if not any(map(self._touched, original.body)):
            return updated
        new = cst.ensure_type(updated, type(original)).body
        body: list[cst.BaseSmallStatement] = []
        for before, after in zip(original.body, new, strict=True):
            body.extend(part for line in self._before.get(before, ()) for part in line.body)
            if before not in self.removed:
                body.append(after)
            body.extend(part for line in self._after.get(before, ()) for part in line.body)
        if not body:
            body = [cst.Pass()]
        # The last one ends as the line did; one that was last and is no more gets its semicolon from libcst.
        body = [_without_semicolon(part) if part is new[-1] else part for part in body]
        body[-1] = body[-1].with_changes(semicolon=new[-1].semicolon)
        return updated.with_changes(body=body)


def _leading(statement: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    lines: Sequence[cst.EmptyLine] = getattr(statement, "leading_lines", ())  # all statements have them, their base class does not
    return lines


def _opened(statement: cst.With) -> tuple[list[cst.BaseStatement], Sequence[cst.EmptyLine]]:
    """The statements inside, and the comments behind them."""
    block = statement.body
    if isinstance(block, cst.IndentedBlock):
        return list(block.body), block.footer
    suite = cst.ensure_type(block, cst.SimpleStatementSuite)
    return [cst.SimpleStatementLine(suite.body, trailing_whitespace=suite.trailing_whitespace)], ()


def _without_semicolon(part: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
    return part.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)


def _own_parentheses(node: cst.BaseExpression) -> int:
    """How many of the parentheses around a node are part of it."""
    return 1 if isinstance(node, cst.Tuple | cst.GeneratorExp) and node.lpar else 0


def _with_outer(new: cst.BaseExpression, old: cst.BaseExpression) -> cst.BaseExpression:
    """A node within the parentheses that stand around another one."""
    own = _own_parentheses(old)
    return new.with_changes(lpar=[*old.lpar[: len(old.lpar) - own], *new.lpar], rpar=[*new.rpar, *old.rpar[own:]])


def _without_outer(node: cst.BaseExpression) -> cst.BaseExpression:
    own = _own_parentheses(node)
    return node.with_changes(lpar=node.lpar[len(node.lpar) - own :], rpar=node.rpar[:own])


def _is_operand(node: cst.BaseExpression) -> bool:
    return bool(node.lpar) or isinstance(node, _OPERANDS)


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.with_changes(lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()])


def _space_behind(arg: cst.Arg) -> cst.BaseParenthesizableWhitespace:
    """What stands between an argument, or its comma, and what follows."""
    return arg.comma.whitespace_after if isinstance(arg.comma, cst.Comma) else arg.whitespace_after_arg


def _appended(call: cst.Call, new: cst.Arg) -> list[cst.Arg]:
    """The arguments and a new one: on a line of its own where each of the others has one, else behind the last."""
    if not call.args:
        return [new]
    *others, last = call.args
    end = _space_behind(last)
    line_each = all(isinstance(space, cst.ParenthesizedWhitespace) for space in (call.whitespace_before_args, *map(_space_behind, others)))
    if line_each and isinstance(end, cst.ParenthesizedWhitespace) and isinstance(call.whitespace_before_args, cst.ParenthesizedWhitespace):
        # The comment behind the last argument stays behind it.
        start = call.whitespace_before_args
        separator: cst.BaseParenthesizableWhitespace = end.with_changes(empty_lines=(), indent=start.indent, last_line=start.last_line)
        end = end.with_changes(first_line=cst.TrailingWhitespace())
    else:
        separator = cst.SimpleWhitespace(" ")
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    if comma is not None:
        new = new.with_changes(comma=comma.with_changes(whitespace_after=end))
        kept = last.with_changes(comma=comma.with_changes(whitespace_after=separator))
    else:
        new = new.with_changes(whitespace_after_arg=end)
        kept = last.with_changes(comma=cst.Comma(whitespace_after=separator), whitespace_after_arg=cst.SimpleWhitespace(""))
    return [*others, kept, new]


def _shortened(args: Sequence[cst.Arg]) -> list[cst.Arg]:
    """The arguments without the last: the one before keeps its comment and ends as the last did."""
    *others, last, gone = args
    between, end = _space_behind(last), _space_behind(gone)
    if isinstance(between, cst.ParenthesizedWhitespace):
        if isinstance(end, cst.ParenthesizedWhitespace):
            end = end.with_changes(first_line=between.first_line, empty_lines=(*between.empty_lines, *end.empty_lines))
        elif between.first_line.comment is not None or between.empty_lines:
            end = between
    if isinstance(gone.comma, cst.Comma):
        return [*others, last.with_changes(comma=gone.comma.with_changes(whitespace_after=end))]
    return [*others, last.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=end)]
