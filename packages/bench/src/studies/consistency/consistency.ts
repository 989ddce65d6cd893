import { StoreError } from '@unikv/core'
import type { Given } from '../../options/plain.ts'
import { formatCallers } from '../../report/words/units.ts'
import type { Configured, Study } from '../../study/study.ts'
import { aggregate } from './aggregate.ts'
import { check, checkData } from './check.ts'
import { type ConsistencyConfig, consistencyConfigSchema } from './config.ts'
import type { ConsistencyRecord } from './consistency-runner.ts'
import { judge } from './judge.ts'
import { pairText } from './levels.ts'
import { type ConsistencyCell, plan } from './plan.ts'
import { report } from './report/report.ts'
import { type ConsistencyBody, consistencyBodyShape } from './result.ts'

/** Throughput and latency of a store at its consistency levels, and how long reads stay stale at each. */
export const consistency: Study<ConsistencyConfig, ConsistencyCell, ConsistencyRecord, ConsistencyBody> = {
  name: 'consistency',
  examples: [
    "--store 'cassandra://h1,h2,h3/app?datacenter=dc1' --levels strong,eventual",
    "--store 'redis://h1?replicas=1' --read-from replica=redis://h2 --only stale",
    "--store mongodb://h1,h2,h3/app --disturb 'docker pause h3' --undo 'docker unpause h3'",
  ],
  config: consistencyConfigSchema,
  configure,
  takesReaders: true,
  isResumable: true,
  formatVersion: 1,
  body: consistencyBodyShape,
  report,
  points: (config, data) => {
    checkData(config, data)
    return []
  },
  check,
  plan,
  nameOf: (cell) => `${cell.store} ${cell.condition} ${workText(cell)}`,
  leastMsOf: () => 0,
  labelOf: (cell) => `${cell.store} · ${workText(cell)}${cell.condition === 'calm' ? '' : ', disturbed'}`,
  runner: async (context) => {
    const { ConsistencyRunner } = await import('./consistency-runner.ts')
    return new ConsistencyRunner(context)
  },
  judge,
  aggregate,
}

function workText({ work, pair }: ConsistencyCell): string {
  if (work.kind === 'load') return 'records'
  const measured = work.kind === 'stale' ? 'stale reads' : `${formatCallers(work.callers)}`
  return `${pairText(pair)}, ${measured}`
}

/** The input of a configuration: late delays need a later horizon than the default. */
async function configure(given: Given<typeof consistencyConfigSchema>): Promise<Configured> {
  const { delaysMs, disturbance } = given
  const { disturb, undo } = disturbance ?? {}
  if ((disturb === undefined) !== (undo === undefined)) {
    const [is, other] = disturb === undefined ? ['undo', 'disturb'] : ['disturb', 'undo']
    throw new StoreError('INVALID_ARGUMENT', `--${is} needs --${other} beside it.`)
  }
  const last = delaysMs?.at(-1) ?? 0
  return { config: { ...(last > 1_000 ? { horizonMs: 2 * last } : {}), ...given }, warnings: [] }
}
