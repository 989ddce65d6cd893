import { isStoreError, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { lmdb } from '../../src/index.ts'

/* A process that closes its store while a hundred writes are under way, and has nothing else to do. */

const store = lmdb({ path: process.argv[2] ?? '' })
const writes = Array.from({ length: 100 }, async (_, i) =>
  store.write(
    [{ type: 'set', key: `key ${i}`, value: Buffer.from('1'), version: newVersion() }],
    callOptions(),
  ),
)
await store.close()
const results = (await Promise.all(writes)).flat()
process.stdout.write(`${results.filter((result) => !isStoreError(result)).length} of 100\n`)
