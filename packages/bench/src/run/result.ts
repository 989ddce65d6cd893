import { z } from 'zod'
import type { PlainShape } from '../options/plain.ts'
import { targetName } from './names.ts'

const count = z.int().min(0)
const names = z.record(z.string(), z.string())

const environment = z.strictObject({
  node: z.string(),
  v8: z.string(),
  platform: z.string(),
  release: z.string(),
  architecture: z.string(),
  cpu: z.string(),
  cores: count,
  memoryBytes: count,
})

/** The fields of a result that every study has; strict, so that a reader notices a format that it does not know. */
export const runResultShape = {
  /**
   * `interrupted`, `failed` and `invalid` runs hold what was finished until then. `invalid`: a store did not return what
   * was written, or the generator could not keep up, so the figures say nothing about the store. `crossed`: complete,
   * and a threshold was crossed.
   */
  status: z.enum(['complete', 'crossed', 'interrupted', 'failed', 'invalid']),
  /** Why a run failed or is invalid, what threshold it crossed, and which stores still hold what it wrote. `null` if there is nothing to tell. */
  error: z.string().nullable(),
  runId: z.string(),
  /** ISO 8601. */
  startedAt: z.iso.datetime(),
  elapsedMs: z.number().min(0),
  environment,
  /** The command that repeats the run, without secrets; `null` if a program started it. */
  command: z.string().nullable(),
  /** Versions of packages and drivers by name. */
  versions: names,
  data: z.strictObject({
    kind: z.enum(['synthetic', 'files', 'module']),
    description: z.string(),
  }),
  stores: z.array(
    z.strictObject({
      name: z.string().regex(targetName),
      /** Without user info. */
      url: z.string(),
      /** Name of its adapter. */
      adapter: z.string(),
      durability: z.string(),
      /** Facts that its server reports: its version, and settings that matter. Empty if there are none. */
      server: names,
    }),
  ),
}

/** The description of a run in the result of every bench. Times are in milliseconds. */
export type RunResult = PlainShape<typeof runResultShape>

/** The machine and the runtime. */
export type Environment = RunResult['environment']

/** A store that was measured. */
export type StoreInfo = RunResult['stores'][number]
