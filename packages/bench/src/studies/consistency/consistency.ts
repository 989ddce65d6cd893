import { checkWorkload, largestValue } from '../../driven/check-workload.ts'
import type { Given } from '../../options/option.ts'
import { formatCallers } from '../../report/words.ts'
import { invalidBy, wrong } from '../../study/faults.ts'
import type { Configured, Judgement, Study, StudySubject } from '../../study/study.ts'
import { type ConsistencyConfig, consistencyConfigSchema } from './config.ts'
import { readersOf } from './connections.ts'
import type { ConsistencyRecord } from './consistency-runner.ts'
import { checkPairs, pairText } from './levels.ts'
import { type ConsistencyCell, pairsOf, plan, workloadOf } from './plan.ts'
import { costsOf, ratesOf } from './rates.ts'
import { report } from './report/report.ts'
import { type ConsistencyBody, consistencyBodyShape } from './result.ts'
import { leastValueSize } from './stale/follow.ts'
import { staleResults } from './stale-results.ts'

/** Runs that say nothing about their store. */
function judge({ rates, stale }: ConsistencyBody): Judgement | undefined {
  const reasons = [
    ...rates.flatMap(({ store, pair, callers, invalid }) =>
      invalid.map((why) => `${store}, ${pair} with ${formatCallers(callers)}, ${why}.`),
    ),
    ...stale.flatMap(({ store, pair, invalid }) =>
      invalid.map((why) => `${store}, stale reads at ${pair}, ${why}.`),
    ),
  ]
  return invalidBy(reasons)
}

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
  checkData: (config, data) => largestValue(workloadOf(config), data),
  check,
  plan,
  nameOf: (cell) => `${cell.store} ${cell.condition} ${workText(cell)}`,
  labelOf: (cell) => `${cell.store} · ${workText(cell)}${cell.condition === 'calm' ? '' : ', disturbed'}`,
  runner: async (context) => new (await import('./consistency-runner.ts')).ConsistencyRunner(context),
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
    throw wrong(`--${is} needs --${other} beside it.`)
  }
  const last = delaysMs?.at(-1) ?? 0
  return { config: { ...(last > 1_000 ? { horizonMs: 2 * last } : {}), ...given }, warnings: [] }
}

/** Refuse, before anything is sent, levels that a store does not declare, and a plan that makes no sense. */
function check({ config, stores }: StudySubject<ConsistencyConfig>): void {
  const { delaysMs, horizonMs, valueSize, parts } = config
  for (const target of stores) {
    checkPairs(target, pairsOf(config, target))
    const names = readersOf(target).map(({ name }) => name)
    const twice = names.find((name, index) => names.indexOf(name) !== index)
    if (twice !== undefined)
      throw wrong(`${target.name} has two readers with the name '${twice}'. Name them apart.`)
  }
  checkWorkload(workloadOf(config), stores)
  if (parts.includes('stale') && valueSize < leastValueSize)
    throw wrong(
      `Values need ${leastValueSize} bytes or more, to tell which write they come from; got ${valueSize}.`,
    )
  const last = delaysMs.at(-1) as number
  if (last > horizonMs)
    throw wrong(
      `The last delay (${last} ms) lies beyond the horizon (${horizonMs} ms). Give a later --horizon.`,
    )
}

/** The fields of a result, out of the finished cells. */
function aggregate(
  { config, stores }: StudySubject<ConsistencyConfig>,
  records: readonly ConsistencyRecord[],
): ConsistencyBody {
  const rates = ratesOf(config, stores, records)
  const commands = new Map(
    records.flatMap(({ command }) => (command === undefined ? [] : [[command.kind, command]])),
  )
  return {
    levels: stores.map((target) => ({
      store: target.name,
      declared: target.store.capabilities.consistency,
      meanings: target.levels ?? {},
      pairs: pairsOf(config, target).map(pairText),
      readers: readersOf(target),
    })),
    rates,
    costs: costsOf(rates),
    stale: staleResults(config, stores, records),
    commands: [...commands.values()],
  }
}
