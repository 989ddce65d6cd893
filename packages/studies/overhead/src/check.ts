import { StoreError } from '@unikv/core'
import type { StudySubject } from '@unikv/workload'
import { listed } from '@unikv/workload/report'
import type { OverheadConfig } from './config.ts'
import { nativeOf, nativeStores } from './native/natives.ts'

/** Refuse, before anything is sent, stores for which there are no statements of a native client. */
export function check({ stores }: StudySubject<OverheadConfig>): void {
  for (const { name, url, opener } of stores) {
    if (nativeOf(url) === undefined)
      throw new StoreError(
        'UNSUPPORTED',
        `${name}: bench overhead knows the native clients of ${listed(nativeStores)} stores, but this one is ${url.slice(0, url.indexOf(':'))}.`,
      )
    if (url.includes('driver=node-redis'))
      throw new StoreError(
        'UNSUPPORTED',
        `${name}: bench overhead compares with ioredis. Leave out driver=node-redis.`,
      )
    if (opener === undefined)
      throw new StoreError(
        'INVALID_ARGUMENT',
        `${name}: each side opens the store in a process of its own, so bench overhead needs its opener.`,
      )
  }
}
