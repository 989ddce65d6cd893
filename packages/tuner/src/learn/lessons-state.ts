import { createHash } from 'node:crypto'
import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { features } from './features.ts'
import type { NodeState } from './nodes.ts'

/** Lessons as plain data. */
export interface LessonsState {
  readonly format: 1
  /** Tells the numbers of a store apart: lessons about others mean nothing. */
  readonly features: string
  /** Names of tactics, and `none`. */
  readonly classes: readonly string[]
  /** Outcomes of tactics that were measured. */
  readonly samples: number
  readonly tree: NodeState
  /** Where it comes from, of a start that was learned before. */
  readonly origin?: { readonly [name: string]: unknown } | undefined
}

/** The numbers of a store, as this version takes them. */
export const featuresMark: string = createHash('sha256')
  .update(features.map(({ name, unit }) => `${name} ${unit}`).join('\n'))
  .digest('hex')
  .slice(0, 12)

const numbers = z.array(z.number())
const errors = z.strictObject({
  seen: z.number(),
  spread: z.number(),
  rows: z.array(z.array(z.tuple([z.number(), z.number()]))),
})
const distribution = z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]).nullable()

/** The schema of a tree for so many classes. */
function treeSchema(classes: number): z.ZodType<NodeState> {
  const leaf = z.strictObject({
    weights: numbers.length(classes),
    right: z.tuple([z.number(), z.number()]),
    lookedAt: z.number(),
    errors,
    seen: z.array(z.array(distribution).length(classes)).length(features.length),
  })
  const node: z.ZodType<NodeState> = z.lazy(() => z.union([leaf, branch]))
  const branch = z.strictObject({
    feature: z
      .int()
      .min(0)
      .max(features.length - 1),
    threshold: z.number(),
    errors,
    children: z.tuple([node, node]),
    alternate: node.nullable(),
  })
  return node
}

const outer = z.strictObject({
  format: z.literal(1),
  features: z.literal(featuresMark),
  classes: z.array(z.string()).min(1).max(1000),
  samples: z.number().min(0),
  tree: z.unknown(),
  origin: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Lessons that were kept.
 *
 * @param whose where they are from, for the error
 * @throws {StoreError} `CORRUPT` for what is damaged, or of another version
 */
export function lessonsStateIn(whose: string, given: unknown): LessonsState {
  try {
    const { tree, ...rest } = outer.parse(given)
    return { ...rest, tree: treeSchema(rest.classes.length).parse(tree) }
  } catch (cause) {
    const what = `${whose} are damaged, or of another version of the tuner.`
    throw new StoreError('CORRUPT', what, { cause })
  }
}
