import { writeSync } from 'node:fs'
import { callOptions } from '@unikv/core/adapter'
import { batchOf } from '@unikv/test-kit/kills'
import { lmdb } from '../../src/index.ts'

/* A process that writes some batches, one after the other, and tells of each on descriptor 1 when it is acknowledged. */

const [path = '', durability = 'flushed', sync = 'false', count = '0'] = process.argv.slice(2)

const store = lmdb({ path, durability: durability as 'flushed' | 'buffered', sync: sync === 'true' })
// Opening the file is not what is looked at.
void store.native
for (let n = 1; n <= Number(count); n++) {
  writeSync(1, `began ${n}\n`)
  await store.write(batchOf('a', n), callOptions())
  writeSync(1, `ended ${n}\n`)
}
await store.close()
