import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { node } from './run.ts'

const strict = inject('strict')

/** Everything that a package loads of another one by name, without an import that the package manager could follow. */
const program = `import { compression } from '@unikv/compression'
import { openStores } from '@unikv/manager'
import { json, keyValue, memory, open } from 'unikv'
import { redis } from '@unikv/redis'

const told = {}
const of = async (name, work) => {
  told[name] = await Promise.resolve().then(work).catch(({ message, cause }) => message + ' ' + (cause?.message ?? ''))
}
const stored = async (store, layers) => {
  const kv = keyValue(store, layers)
  try {
    await kv.set('a', 'b'.repeat(9_000))
    return (await kv.get('a')).length
  } finally {
    await kv.close()
  }
}
await of('lmdb', () => stored(open('lmdb:./lmdb'), [json()]))
await of('sqlite', () => stored(open('sqlite:./sqlite.db'), [json()]))
for (const algorithm of ['lz4', 'snappy', 'zstd'])
  await of(algorithm, () => stored(memory(), [json(), compression({ algorithm })]))
for (const driver of ['ioredis', 'node-redis'])
  await of(driver, () => typeof redis({ url: 'redis://127.0.0.1:1', driver }).native.get)
await of('openTelemetry', async () => {
  const stores = await openStores({ stores: { a: { url: 'memory:', layers: ['openTelemetry', 'json'] } } })
  await stores.close()
  return 'opened'
})
console.log(JSON.stringify(told))
process.exit()
`

describe('where each package sees only what it declares', () => {
  test('each loads its drivers and codecs from its own place', async () => {
    await writeFile(join(strict, 'drivers.mjs'), program)
    const { output } = await node(strict, ['drivers.mjs'])
    expect(JSON.parse(output)).toEqual({
      lmdb: 9_000,
      sqlite: 9_000,
      lz4: 9_000,
      snappy: 9_000,
      zstd: 9_000,
      ioredis: 'function',
      'node-redis': 'function',
      openTelemetry: 'opened',
    })
  })

  test('the command line finds the version of a driver', async () => {
    const unikv = join(strict, 'node_modules/unikv/bin/unikv.js')
    const args = ['--store', 'lmdb:./bench', '--sizes', '100', '--operations', '2', '--runs', '1', '--json']
    const { output } = await node(strict, [unikv, 'bench', 'sizes', ...args])
    expect(output).toMatch(/"lmdb":\s*"\d+\./)
  })
})
