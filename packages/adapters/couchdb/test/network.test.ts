import { networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { describeHttpNetwork } from '@unikv/test-kit/vitest'
import { couchdb } from '../src/index.ts'
import { freshDatabase } from './couchdb-bench.ts'

describeHttpNetwork('couchdb', async (run) => {
  const database = freshDatabase()
  const open = (url: string): Store<Bytes> => couchdb({ url, database, prepare: true })
  await networkFaults({ ...run, open, direct: () => open(run.url) })
})
