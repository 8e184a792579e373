"""Epochs of congestion: whether two flows are cut together."""

# Cuts no further apart than GAP are one epoch: a little more than the longest round trip. Cuts
# before FROM, when the flows have not settled yet, are left out. Both in seconds.
GAP = 0.25
FROM = 10.0


def rises(lines):
    """Returns the times at which each of two counters rises, from lines of (time, counter, counter)."""
    found, last = ([], []), [0, 0]
    for time, *counters in lines:
        for flow, counter in enumerate(counters):
            if counter > last[flow] and time > FROM:
                found[flow].append(time)
            last[flow] = max(counter, last[flow])
    return found


def epochs(cuts):
    """Returns the flows that are cut in each epoch, as sets, in order."""
    found, last = [], None
    for time, flow in sorted((time, flow) for flow, times in enumerate(cuts) for time in times):
        if last is None or time - last > GAP:
            found.append(set())
        found[-1].add(flow)
        last = time
    return found


def summary(cuts):
    """Returns the numbers of epochs, of epochs that cut both flows, and of cuts of each flow."""
    found = epochs(cuts)
    return {
        "epochs": len(found),
        "both": sum(len(flows) == 2 for flows in found),
        "cuts_1": len(cuts[0]),
        "cuts_2": len(cuts[1]),
    }
