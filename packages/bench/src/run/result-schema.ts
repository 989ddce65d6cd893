import { z } from 'zod'
import { targetName } from './names.ts'
import type { RunResult } from './result.ts'

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
export const runResultShape: { readonly [K in keyof RunResult]: z.ZodType<RunResult[K]> } = {
  status: z.enum(['complete', 'crossed', 'interrupted', 'failed', 'invalid']),
  error: z.string().nullable(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  elapsedMs: z.number().min(0),
  environment,
  command: z.string().nullable(),
  versions: names,
  data: z.strictObject({ kind: z.enum(['synthetic', 'files', 'module']), description: z.string() }),
  stores: z.array(
    z.strictObject({
      name: z.string().regex(targetName),
      url: z.string(),
      adapter: z.string(),
      durability: z.string(),
      server: names,
    }),
  ),
}
