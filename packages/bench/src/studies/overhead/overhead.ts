import { StoreError } from '@unikv/core'
import type { Given } from '../../options/option.ts'
import { listed } from '../../report/words.ts'
import { wrong } from '../../study/faults.ts'
import type { Study, StudySubject } from '../../study/study.ts'
import { aggregate } from './aggregate.ts'
import { type OverheadBody, type OverheadConfig, overheadBodyShape, overheadConfigSchema } from './config.ts'
import { checkLayers } from './layers.ts'
import { nativeOf, nativeStores } from './native/natives.ts'
import type { OverheadRecord } from './overhead-runner.ts'
import { missingPackages, type Peer, peerOf, storesOf } from './peers.ts'
import { type OverheadCell, plan } from './plan.ts'
import { report } from './report/report.ts'

/** The cost of unikv beside the native client of a store, operation by operation, as the number of records grows. */
export const overhead: Study<OverheadConfig, OverheadCell, OverheadRecord, OverheadBody> = {
  name: 'overhead',
  config: overheadConfigSchema,
  configure: async (config: Given<typeof overheadConfigSchema>) => {
    if (config.layers !== undefined) await checkLayers(config.layers)
    return { config, warnings: [] }
  },
  formatVersion: 2,
  removesRecords: true,
  isResumable: true,
  body: overheadBodyShape,
  report,
  check,
  plan,
  nameOf: ({ store, volume, measured }) =>
    `${store} ${volume} ${measured?.operation ?? 'load'} ${measured?.side ?? ''}`,
  labelOf: ({ store, volume, measured }) =>
    measured === null
      ? `${store} · ${volume} records`
      : `${store} · ${measured.operation} by ${measured.side}`,
  runner: async (context) => new (await import('./overhead-runner.ts')).OverheadRunner(context),
  aggregate,
}

/** Refuse, before anything is sent, stores for which there are no statements of a native client. */
function check({ config, stores }: StudySubject<OverheadConfig>): void {
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
      throw wrong(
        `${name}: each side opens the store in a process of its own, so bench overhead needs its opener.`,
      )
  }
  for (const peer of config.beside) checkPeer(peer, stores)
}

/** Its packages are those of the project, so that it is the version that the user has. */
function checkPeer(peer: Peer, stores: readonly { readonly url: string }[]): void {
  const known = stores.flatMap(({ url }) => peerOf(peer, url) ?? [])
  if (known.length === 0)
    throw new StoreError(
      'UNSUPPORTED',
      `--beside ${peer}: bench overhead knows it over ${listed(storesOf(peer))} stores. None of these is one.`,
    )
  const missing = missingPackages([...new Set(known.flatMap(({ packages }) => packages))])
  if (missing.length > 0)
    throw new StoreError(
      'INVALID_CONFIG',
      `--beside ${peer}: ${listed(missing)} ${missing.length === 1 ? 'is' : 'are'} not installed in ${process.cwd()}: npm install ${missing.join(' ')}`,
    )
}
