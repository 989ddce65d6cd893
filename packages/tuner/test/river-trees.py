"""Trees of river over a stream on standard input: a line of JSON for each sample, the label last. Prints shares of right predictions."""
import json
import sys

from river import tree

seeds = [int(seed) for seed in sys.argv[1].split(",")]
samples = [json.loads(line) for line in sys.stdin]


def right(model):
    right = []
    for *values, label in samples:
        x = dict(enumerate(values))
        right.append(model.predict_one(x) == label)
        model.learn_one(x, label)
    return sum(right) / len(right)


print(json.dumps({
    "plain": right(tree.HoeffdingTreeClassifier()),
    "adaptive": [right(tree.HoeffdingAdaptiveTreeClassifier(seed=seed)) for seed in seeds],
}))
