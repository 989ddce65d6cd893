import { compose, isStoreError, keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import {
  awsKms,
  encryption,
  type KmsProvider,
  keyring,
  kmsKeys,
  localKms,
  nameKey,
  open,
  openStream,
  reencrypt,
  seal,
  sealStream,
} from '../src/index.ts'
import { utf8 } from './records.ts'
import {
  contexts,
  credentials,
  dataKeys,
  expectNoSecret,
  expectSilentOutput,
  moreRoots,
  plaintext,
  values,
} from './secrets.ts'

expectSilentOutput()

describe('with a key management service', () => {
  const wrapping = keyring({ primary: 'w1', keys: { w1: moreRoots[11] as Buffer } })
  const real = localKms({ keys: wrapping })
  let made = 0
  /** Makes the planted data keys, and fails with all it knows when it is told to. */
  const service = {
    ...real,
    id: real.id,
    info: 'w1',
    fails: false,
    client: { password: credentials[0], url: `https://user:${credentials[1]}@kms.example` },
    async generateDataKey(context: object): ReturnType<KmsProvider['generateDataKey']> {
      if (service.fails) throw leaking()
      const key = Uint8Array.from(dataKeys[made++ % dataKeys.length] as Buffer)
      return {
        key,
        blob: (await real.encryptDataKey?.(key, context as never, undefined as never)) as Uint8Array,
      }
    },
    async decryptDataKey(...asked: Parameters<KmsProvider['decryptDataKey']>): Promise<Uint8Array> {
      if (service.fails) throw leaking()
      return real.decryptDataKey(...asked)
    },
  }
  const leaking = (): Error =>
    Object.assign(
      new Error(`POST https://user:${credentials[2]}@kms.example: ${dataKeys[0]?.toString('base64')}`),
      {
        name: 'ServiceException',
        $response: { headers: { authorization: credentials[3] }, body: dataKeys },
        cause: new Error(credentials[4]),
      },
    )

  test('its keys, provider, layers and stacks show no data key, before and after they were used', async () => {
    const { client: _client, ...provider } = service
    const kms = kmsKeys({ providers: provider, maxMessages: 1, context: { tenant: 'seven' } })
    const store = memory()
    const layer = encryption({ dataset: 'users', keys: kms, context: contexts[2] })
    const stack = compose(store, [layer])
    for (const [i, value] of values.entries())
      await stack.write(
        [{ type: 'set', key: `key ${i}`, version: newVersion(), value: utf8(value) }],
        callOptions(),
      )
    expect(made).toBeGreaterThanOrEqual(dataKeys.length)
    for (const thing of [
      kms,
      provider,
      real,
      wrapping,
      layer,
      stack,
      store.native,
      structuredClone({ ...kms }),
    ])
      expectNoSecret(thing)
    expectNoSecret(await reencrypt(stack))
    kms.forget()
    expectNoSecret(kms)
  })

  test('its failures show nothing that it said', async () => {
    const store = memory()
    const stackOf = () =>
      compose(store, [
        encryption({ dataset: 'users', keys: kmsKeys({ providers: service }), context: contexts[3] }),
      ])
    const set = { type: 'set', key: 'ada', version: newVersion(), value: utf8(plaintext) } as const
    await stackOf().write([set], callOptions())
    service.fails = true
    const [result] = await stackOf().read([{ key: 'ada' }], callOptions())
    const failure: unknown = await Promise.resolve(stackOf().write([set], callOptions())).catch(
      (error: unknown) => error,
    )
    service.fails = false
    for (const error of [result, failure]) {
      expect(isStoreError(error) && error.code).toBe('UNAVAILABLE')
      expectNoSecret(error)
    }
    const report = await reencrypt(stackOf(), { dryRun: true })
    expect(report).toMatchObject({ skipped: 1 })
  })

  test('its failures show nothing under hashed names, nor without a store; a name key is never shown', async () => {
    const names = nameKey(moreRoots[10] as Buffer)
    const store = memory()
    const stackOf = () =>
      compose(store, [encryption({ dataset: 'users', keys: kmsKeys({ providers: service }), names })])
    const set = { type: 'set', key: 'ada', version: newVersion(), value: utf8(plaintext) } as const
    await stackOf().write([set], callOptions())
    const at = { dataset: 'users', key: 'ada' }
    const envelope = await seal(utf8(plaintext), { ...at, keys: kmsKeys({ providers: service }) })
    service.fails = true
    const without = { ...at, keys: kmsKeys({ providers: service }) }
    const failures = await Promise.allSettled([
      stackOf().read([{ key: 'ada' }], callOptions()),
      stackOf().write([set], callOptions()),
      keyValue(stackOf()).count(),
      seal(utf8(plaintext), without),
      open(envelope, without),
      sealStream([utf8(plaintext)], without).next(),
      openStream([envelope], without).next(),
    ])
    service.fails = false
    expect(failures.map(({ status }) => status)).toEqual(['fulfilled', ...Array(6).fill('rejected')])
    for (const thing of [failures, names, stackOf(), store.native]) expectNoSecret(thing)
  })

  test('a client of AWS with credentials is not shown, nor what it rejects with', async () => {
    const client = {
      config: { credentials: { secretAccessKey: credentials[5] } },
      send: () => Promise.reject(Object.assign(leaking(), { name: 'AccessDeniedException' })),
    }
    class Command {}
    const commands = { GenerateDataKeyCommand: Command, EncryptCommand: Command, DecryptCommand: Command }
    const provider = awsKms({ client, commands, keyId: 'key-1' })
    const kms = kmsKeys({ providers: provider })
    const stack = compose(memory(), [encryption({ dataset: 'users', keys: kms })])
    const set = { type: 'set', key: 'ada', version: newVersion(), value: utf8(plaintext) } as const
    const failure: unknown = await Promise.resolve(stack.write([set], callOptions())).catch(
      (error: unknown) => error,
    )
    expect(isStoreError(failure) && failure.code).toBe('ACCESS_DENIED')
    for (const thing of [provider, kms, stack, failure]) expectNoSecret(thing)
  })
})
