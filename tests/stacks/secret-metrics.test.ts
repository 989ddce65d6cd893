import { inspect } from 'node:util'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { encryption, type KmsProvider, keyring, kmsKeys, localKms, reencrypt } from '@unikv/encryption'
import { monitor } from '@unikv/monitor'
import { open } from '@unikv/stores'
import { expect, test } from 'vitest'
import { ringOf } from '../processes/fixtures/rotation-process.ts'

const all = {
  depth: Number.POSITIVE_INFINITY,
  showHidden: true,
  getters: true,
  maxArrayLength: null,
} as const
const value = 'the value that nobody may see'
const password = 'hunter2-in-the-url'

/** Everything that is shown must hold none of these. */
function expectNone(thing: unknown, secrets: readonly string[]): void {
  const text = [inspect(thing, all), JSON.stringify(thing), String((thing as Error).stack)].join('\n')
  for (const secret of secrets) expect(text).not.toContain(secret)
}

test('neither metrics nor a sweep tell keys, data keys, values or what a service said', async () => {
  const keys = keyring(ringOf('k1', ['k1', 'k2']))
  const real = localKms({ keys })
  const dataKeys: string[] = []
  let fails = false
  const provider: KmsProvider = {
    id: 'local',
    info: 'k1',
    generateDataKey: async (...asked) => {
      if (fails) throw new Error(`${password} ${value}`)
      const made = await real.generateDataKey(...asked)
      for (const form of ['hex', 'base64'] as const) dataKeys.push(Buffer.from(made.key).toString(form))
      return made
    },
    decryptDataKey: (...asked) => real.decryptDataKey(...asked),
  }
  const metrics = monitor()
  const layer = encryption({ dataset: 'users', keys: kmsKeys({ providers: provider, maxMessages: 1 }) })
  const kv = keyValue(memory(), [metrics, json(), layer])
  for (let i = 0; i < 5; i++) await kv.set(`key ${i}`, value)
  expect(await kv.get('key 3')).toBe(value)
  fails = true
  const failure: unknown = await kv.set('key 9', value).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'UNAVAILABLE' })
  fails = false
  const report = await reencrypt(kv)
  expect(report).toMatchObject({ scanned: 5, skipped: 5 })
  expect(metrics.snapshot().stores['memory']?.['set']).toMatchObject({ calls: 6 })
  expect(dataKeys).toHaveLength(10)
  const { k1, k2 } = ringOf('k1', ['k1', 'k2']).keys as Record<'k1' | 'k2', string>
  for (const thing of [metrics.snapshot(), metrics, failure, report, kv.capabilities])
    expectNone(thing, [value, password, k1, k2, ...dataKeys])
})

test('an encrypted store that cannot be reached tells no password of its URL', async () => {
  const store = open(`redis://user:${password}@127.0.0.1:9/`)
  const keys = keyring(ringOf('k1', ['k1']))
  const kv = keyValue(store, [json(), encryption({ dataset: 'users', keys })], { timeoutMs: 300 })
  const failure: unknown = await kv.set('ada', value).catch((error: unknown) => error)
  const swept: unknown = await reencrypt(kv, { timeoutMs: 300 }).catch((error: unknown) => error)
  for (const error of [failure, swept]) {
    expect(error).toBeInstanceOf(Error)
    expectNone(error, [password, value, ringOf('k1', ['k1']).keys['k1'] as string])
  }
  await kv.close()
})
