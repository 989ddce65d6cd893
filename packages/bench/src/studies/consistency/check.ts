import { StoreError } from '@unikv/core'
import type { DataSource } from '../../data/data-source.ts'
import { checkWorkload, largestValue } from '../../driven/check-workload.ts'
import type { StudySubject } from '../../study/study.ts'
import type { ConsistencyConfig } from './config.ts'
import { readersOf } from './connections.ts'
import { checkPairs } from './levels.ts'
import { pairsOf } from './plan.ts'
import { leastValueSize } from './stale/version-value.ts'
import { workloadOf } from './workload-of.ts'

/** Refuse, before anything is sent, levels that a store does not declare, and a plan that makes no sense. */
export function check({ config, stores }: StudySubject<ConsistencyConfig>): void {
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

/** @throws {StoreError} `INVALID_ARGUMENT` if the data cannot give a value of this length */
export function checkData(config: ConsistencyConfig, data: DataSource): void {
  largestValue(workloadOf(config), data)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
