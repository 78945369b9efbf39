import torch, torch.nn as nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 3))
critic = nn.Sequential(nn.Linear(6, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam(list(actor.parameters()) + list(critic.parameters()), lr=3e-3, eps=1e-5)
for update in range(10):
    obs = torch.randn(256, 6)
    with torch.no_grad():
        d = torch.distributions.Categorical(logits=actor(obs))
        a = d.sample()
        old = d.log_prob(a)
        v = critic(obs).flatten()
    rew = (a == obs[:, :3].argmax(1)).float()
    adv = rew - v
    for epoch in range(4):
        for mb in torch.randperm(256).split(64):
            d = torch.distributions.Categorical(logits=actor(obs[mb]))
            nl = d.log_prob(a[mb])
            ratio = (nl - old[mb]).exp()
            A = (adv[mb] - adv[mb].mean()) / (adv[mb].std() + 1e-8)
            pg = torch.max(-A * ratio, -A * ratio.clamp(0.8, 1.2)).mean()
            vl = 0.5 * ((critic(obs[mb]).view(-1) - rew[mb]) ** 2).mean()
            loss = pg - 0.01 * d.entropy().mean() + 0.5 * vl
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(actor.parameters(), 0.5)
            opt.step()
    print(update, rew.mean().item())
