import { networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { couchdb } from '../src/index.ts'
import { freshDatabase } from './couchdb-bench.ts'

describeWithOwn('couchdb', async () => {
  const server = await ownServer('couchdb')
  afterAll(() => server.stop())
  const database = freshDatabase()
  const open = (url: string): Store<Bytes> => couchdb({ url, database, prepare: true })
  await networkFaults({
    ...networkRun(server.url),
    open,
    direct: () => open(server.url),
    restart: () => server.restart(),
  })
})
