import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { lmdb } from '../../src/index.ts'

/* A process that sets one key and ends. */

const [path = '', key = '', text = ''] = process.argv.slice(2)
const store = lmdb({ path })
await store.write([{ type: 'set', key, value: Buffer.from(text), version: newVersion() }], callOptions())
await store.close()
