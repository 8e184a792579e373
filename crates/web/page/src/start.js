// What the page begins with: Reno beside Veno on a path that loses 2 % of its packets at random.

export const START = `# Two flows share a path that loses packets at random, as a radio link does.
duration = "60 s"

[dumbbell]
access     = { rate = "100 Mb/s", delay = "10 ms" }
bottleneck = { rate = "4 Mb/s", delay = "20 ms", queue = { droptail = 30 }, loss = { bernoulli = 0.02 } }

[[flow]]
name     = "Reno"
control  = "reno"      # halves its window at each loss
recovery = "newreno"

[[flow]]
name     = "Veno"
control  = "veno"      # asks first whether the queue is full
recovery = "newreno"
`;
