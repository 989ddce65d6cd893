export { AdaptiveTree, type AdaptiveTreeOptions, type NodeState, type Step } from './learn/adaptive-tree.ts'
export { Adwin, type AdwinState } from './learn/adwin.ts'
export type { GaussianState } from './learn/gaussian.ts'
export type { LeafState } from './learn/leaf.ts'
