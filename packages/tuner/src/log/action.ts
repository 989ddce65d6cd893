import { type Bytes, StoreError } from '@unikv/core'
import { z } from 'zod'

const figure = z.strictObject({ name: z.string(), value: z.number(), unit: z.string() })
const change = z.record(z.string(), z.json())
const load = z.strictObject({ callsPerSecond: z.number(), mix: z.record(z.string(), z.number()) })
const weighed = z.strictObject({
  tactic: z.string(),
  title: z.string(),
  relief: z.number(),
  expected: z.number(),
  saved: z.number(),
  breakEven: z.number().nullable(),
  learned: z.number(),
  against: z.string().optional(),
})
const sample = z.strictObject({
  at: z.number(),
  isOn: z.boolean(),
  work: z.record(z.string(), z.strictObject({ meanMs: z.number(), callsPerSecond: z.number() })),
  promised: z.number().optional(),
  beside: z.record(z.string(), z.number()).optional(),
})
const verdict = z.strictObject({
  answer: z.enum(['harm', 'help', 'none', 'open']),
  ratio: z.number(),
  interval: z.tuple([z.number(), z.number().nullable()]),
  aim: z.number(),
  control: z.array(z.string()),
  windows: z.tuple([z.number(), z.number()]),
})
const trouble = z.strictObject({
  store: z.string(),
  /** The figure that was promised: of an operation, or of a resource. */
  of: z.strictObject({
    figure: z.enum(['latency', 'errors', 'hits', 'resource']),
    name: z.string(),
    percentile: z.number().optional(),
  }),
  /** `99 % of read below 10 ms`, or `connections of the server`. */
  promise: z.string(),
  found: z.number(),
  limit: z.number(),
  unit: z.string(),
  sinceAt: z.number(),
})

/** States that an action goes through. */
export const states = [
  'proposed',
  'approved',
  'begun',
  'checking',
  'undoing',
  'kept',
  'undone',
  'failed',
  'rejected',
  'lapsed',
] as const

/** The state of an action. */
export type State = (typeof states)[number]

/** States after which nothing happens any more. */
export const endStates: readonly State[] = ['kept', 'undone', 'failed', 'rejected', 'lapsed']

const step = z.strictObject({
  at: z.number(),
  state: z.enum(states),
  /** The process or person. */
  by: z.string(),
  note: z.string().optional(),
})

const action = z.strictObject({
  format: z.literal(1),
  id: z.string(),
  store: z.string(),
  kind: z.string(),
  table: z.string(),
  tactic: z.string(),
  change,
  /** The latest change of a place counts. */
  place: z.string().optional(),
  title: z.string(),
  state: z.enum(states),
  /** Whether the change must be in effect now: a check in turns switches it. */
  isOn: z.boolean(),
  /** When it was turned on or off the last time, of one that is checked in turns. */
  turnedAt: z.number().optional(),
  at: z.number(),
  /** Without approval it lapses then. */
  lapsesAt: z.number(),
  trouble,
  figures: z.array(figure),
  weighed: z.array(weighed),
  /** The questions of the tree that led to its vote, in words. */
  path: z.array(z.string()),
  cost: z.string(),
  load,
  /** The operation or query that should become faster, and all that the change concerns. */
  aim: z.string().optional(),
  concerns: z.array(z.string()),
  samples: z.array(sample),
  verdict: verdict.optional(),
  steps: z.array(step),
})

/** One change from its proposal to its end, as it is kept: an audit log. */
export type Action = z.infer<typeof action>

/** A trouble as it is kept. */
export type KeptTrouble = z.infer<typeof trouble>

/** A look at a trouble that ended in nothing. */
const nothing = z.strictObject({
  format: z.literal(1),
  at: z.number(),
  trouble,
  weighed: z.array(weighed),
})

/** A decision to do nothing, as it is kept. */
export type Nothing = z.infer<typeof nothing>

/** As JSON in UTF-8. */
export function encoded(record: Action | Nothing): Bytes {
  return new TextEncoder().encode(JSON.stringify(record))
}

/**
 * The action that was encoded.
 *
 * @throws {StoreError} `CORRUPT` for anything else
 */
export function actionIn(key: string, bytes: Uint8Array): Action {
  return parsed(key, bytes, action)
}

/** The decision that was encoded. */
export function nothingIn(key: string, bytes: Uint8Array): Nothing {
  return parsed(key, bytes, nothing)
}

function parsed<T>(key: string, bytes: Uint8Array, schema: z.ZodType<T>): T {
  try {
    return schema.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch (cause) {
    const what = `The record ${key} of a tuner is not what this tuner writes. Another version may have written it; delete it, or read it with that one.`
    throw new StoreError('CORRUPT', what, { cause, key })
  }
}
