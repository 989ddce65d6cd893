import { AdaptiveTree } from './adaptive-tree.ts'
import { weighingAtMost, weightOf, withClasses } from './carried.ts'
import { features } from './features.ts'
import { featuresMark, type LessonsState } from './lessons-state.ts'
import type { NodeState } from './nodes.ts'
import { pathText } from './words.ts'

/** The class of a store in which nothing should be changed. */
const none = 'none'

/** Lessons from elsewhere weigh as much as so many samples: some hundred of this machine outweigh it. */
const startWeight = 150

/** The parts of lessons. */
export interface LessonsOptions {
  /** Names of tactics. */
  readonly tactics: readonly string[]
  /** Lessons to go on from. Those about tactics that are unknown here are left out. */
  readonly from?: LessonsState | undefined
  /** Lessons of other machines: a start that weighs little. Only without `from`. */
  readonly start?: LessonsState | undefined
  /** @default Math.random */
  readonly random?: (() => number) | undefined
}

/** Knowledge of when which tactic helps. */
export class Lessons {
  readonly #classes: readonly string[]
  readonly #tree: AdaptiveTree
  #samples: number

  constructor({ tactics, from, start, random }: LessonsOptions) {
    this.#classes = [none, ...tactics]
    const tree = from === undefined ? startOf(start, this.#classes) : treeOf(from, this.#classes)
    this.#samples = from?.samples ?? (tree === undefined ? 0 : weightOf(tree))
    this.#tree = new AdaptiveTree({
      features: features.length,
      classes: this.#classes.length,
      random,
      from: tree,
    })
  }

  /** How many outcomes of tactics stand behind this; those of a start weigh little, and healthy stores do not count. */
  get samples(): number {
    return this.#samples
  }

  get state(): LessonsState {
    return {
      format: 1,
      features: featuresMark,
      classes: this.#classes,
      samples: this.#samples,
      tree: this.#tree.state,
    }
  }

  /** A tactic helped a store, so it was right. Unknown ones are ignored. */
  learn(vector: ArrayLike<number>, tactic: string): void {
    if (this.#learn(vector, tactic)) this.#samples += 1
  }

  /** A tactic did not help: nothing should have been done. */
  learnNone(vector: ArrayLike<number>): void {
    this.learn(vector, none)
  }

  /** A store was well without any change. */
  learnHealthy(vector: ArrayLike<number>): void {
    this.#learn(vector, none)
  }

  /** The share of the votes that each tactic has, from 0 to 1. */
  votes(vector: ArrayLike<number>): (tactic: string) => number {
    const votes = this.#tree.votes(vector)
    const all = votes.reduce((sum, vote) => sum + vote, 0)
    return (tactic) => {
      const vote = votes[this.#classes.indexOf(tactic)]
      return vote === undefined || all === 0 ? 0 : vote / all
    }
  }

  /** The questions that decided, in words, and what was right in such cases. */
  path(vector: ArrayLike<number>): readonly string[] {
    const { steps, weights } = this.#tree.explain(vector)
    return pathText(steps, weights, this.#classes)
  }

  #learn(vector: ArrayLike<number>, tactic: string): boolean {
    const label = this.#classes.indexOf(tactic)
    if (label < 0) return false
    this.#tree.learn(vector, label)
    return true
  }
}

/** The tree of a state, for the classes of now. */
function treeOf({ classes, tree }: LessonsState, now: readonly string[]): NodeState {
  const places = now.map((name) => {
    // A tactic that the owner made for a store, such as `add-tier-in-memory`, is of the kind `add-tier`.
    const place = [name, name.replace(/-in-.+$/, '')].map((one) => classes.indexOf(one))
    return place.find((one) => one >= 0)
  })
  return withClasses(tree, places)
}

function startOf(start: LessonsState | undefined, now: readonly string[]): NodeState | undefined {
  return start === undefined ? undefined : weighingAtMost(treeOf(start, now), startWeight)
}
