import { spawnSync } from 'node:child_process'
import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { type LmdbOptions, lmdb } from '../../src/index.ts'

/* A process or a thread that sets one key and ends. */

const [path = '', key = '', text = '', options = '{}', meanwhile = ''] = process.argv.slice(2)
const store = lmdb({ path, ...(JSON.parse(options) as Partial<LmdbOptions>) })
await store.write([{ type: 'set', key, value: Buffer.from(text), version: newVersion() }], callOptions())
// With the file open.
if (meanwhile !== '') spawnSync('sh', ['-c', meanwhile], { stdio: 'inherit' })
await store.close()
