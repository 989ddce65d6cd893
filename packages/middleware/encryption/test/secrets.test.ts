import { createHash } from 'node:crypto'
import { compose, isStoreError, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { afterAll, describe, expect, test, vi } from 'vitest'
import {
  awsKms,
  encryption,
  type KeyringOptions,
  type KmsProvider,
  keyring,
  kmsKeys,
  localKms,
  open,
  passphraseKey,
  reencrypt,
  seal,
} from '../src/index.ts'
import { Opener } from '../src/opener.ts'
import { Sealer } from '../src/sealer.ts'
import { changed, root1, root2, root3, utf8 } from './records.ts'
import { type Secret, seen } from './shown.ts'

/** Bytes that look random and are the same on every run. */
const planted = (name: string): Buffer => createHash('sha256').update(name).digest()

const plaintext = 'the plaintext that nobody may see'
const passphrase = 'hunter2 hunter2 hunter2 hunter22'

/** 46 secrets; each is given to the code in some test below, and looked for wherever that code shows anything. */
// In memory of their own: small buffers share some, which `inspect` shows whole.
const roots = [Buffer.from(root1, 'hex'), Buffer.from(root2, 'base64'), root3].map((root) =>
  Buffer.from(Uint8Array.from(root).buffer),
)
const moreRoots = Array.from({ length: 12 }, (_, i) => planted(`root ${i}`))
const passphrases = [
  passphrase,
  ...Array.from({ length: 6 }, (_, i) => `${planted(`p ${i}`).toString('base64')} passphrase`),
]
const dataKeys = Array.from({ length: 6 }, (_, i) => planted(`data key ${i}`))
const values = [
  plaintext,
  ...Array.from({ length: 7 }, (_, i) => `${planted(`v ${i}`).toString('hex')} value`),
]
const contexts = Array.from({ length: 4 }, (_, i) => `${planted(`c ${i}`).toString('hex')} tenant`)
const credentials = Array.from({ length: 6 }, (_, i) => `${planted(`w ${i}`).toString('hex')}-credential`)
const secrets: readonly Secret[] = [
  ...roots,
  ...moreRoots,
  ...passphrases,
  ...dataKeys,
  ...values,
  ...contexts,
  ...credentials,
]

function expectNoSecret(thing: unknown): void {
  expect(seen(thing, secrets)).toEqual([])
}

/** What was written meanwhile. */
const spies = [
  ...[process.stdout, process.stderr].map((stream) => vi.spyOn(stream, 'write')),
  ...(['log', 'info', 'warn', 'error', 'debug'] as const).map((level) => vi.spyOn(console, level)),
  vi.spyOn(process, 'emitWarning'),
]
afterAll(() => {
  expectNoSecret(spies.map(({ mock }) => mock.calls))
  vi.restoreAllMocks()
})

test('there are more than 40 secrets, and each is found wherever it could leak', () => {
  expect(secrets.length).toBeGreaterThanOrEqual(40)
  expect(new Set(secrets.map(String)).size).toBe(secrets.length)
  for (const secret of secrets) {
    const text = typeof secret === 'string' ? secret : secret.toString('base64')
    const hidden = Object.defineProperty(new Error('no'), 'hidden', {
      value: { deep: new Map([['a', secret]]) },
    })
    const leaks: readonly unknown[] = [
      new Error(`It was ${text}.`),
      new Error('no', { cause: new Error('no', { cause: text }) }),
      hidden,
      { [Symbol('hidden')]: [secret] },
      { toJSON: () => ({ text }) },
      [new Set([secret])],
      `logged ${Buffer.from(secret as string).toString('hex')}`,
      Uint8Array.from(Buffer.concat([Buffer.from('before'), Buffer.from(secret as string)])),
    ]
    for (const [i, leak] of leaks.entries()) expect(seen(leak, secrets), `leak ${i}`).toEqual([secret])
  }
})

const options: KeyringOptions = {
  primary: 'k1',
  keys: { k1: root1, k2: { key: root2, state: 'disabled' }, k3: root3 },
}
const keys = keyring(options)
const at = { keys, dataset: 'users', key: 'ada' }

test('a keyring, a layer, a stack and what they are made of print no key', () => {
  const sealer = new Sealer(at)
  const layer = encryption({ dataset: 'users', keys })
  for (const thing of [keys, { keys }, [keys], sealer, new Opener(at), layer, compose(memory(), [layer])])
    expectNoSecret(thing)
  expectNoSecret(structuredClone({ ...keys }))
})

test('no refused keyring repeats what it was given', () => {
  const bad: readonly unknown[] = [
    passphrase,
    utf8(passphrase),
    `${root1}00`,
    root1.slice(2),
    root2.slice(2),
    root3.slice(1),
    Array.from(root3),
    { key: passphrase },
    { key: root1, state: 'destroyed' },
    { key: root1, state: passphrase },
  ]
  for (const k1 of bad) expectNoSecret(thrown(() => keyring({ primary: 'k1', keys: { k1: k1 as never } })))
  expectNoSecret(thrown(() => keyring({ primary: passphrase, keys: { [passphrase]: root1 } })))
  expectNoSecret(thrown(() => keyring({ primary: 'k1', keys: { k1: root1, k2: root1 } })))
})

test('no failure to open or seal prints a key or the plaintext', () => {
  const envelope = seal(utf8(plaintext), at)
  const attempts: readonly (() => unknown)[] = [
    () => open(envelope, { ...at, key: 'bob' }),
    () =>
      open(
        changed(envelope, (copy) => copy.subarray(-16).fill(7)),
        at,
      ),
    () => open(envelope.subarray(0, 50), at),
    () => open(utf8(plaintext), at),
    () =>
      open(
        changed(envelope, (copy) => copy.fill(9, 5, 6)),
        at,
      ),
    () => open(envelope, { ...at, keys: keyring({ primary: 'k3', keys: { k3: root3 } }) }),
    () => open(envelope, { ...at, keys: { ...keys } }),
    () => seal(plaintext as never, at),
    () => seal(utf8(plaintext), { ...at, dataset: '' }),
  ]
  for (const attempt of attempts) expectNoSecret(thrown(attempt))
})

test('no result of a store prints a key or the plaintext of a refused record', async () => {
  const store = memory()
  const stack = compose(store, [encryption({ dataset: 'users', keys })])
  const set = { type: 'set', version: newVersion() } as const
  await store.write([{ ...set, key: 'plain', value: utf8(plaintext) }], callOptions())
  await stack.write([{ ...set, key: 'ada', value: utf8(plaintext) }], callOptions())
  expectNoSecret(await stack.read([{ key: 'plain' }], callOptions()))
  expectNoSecret(await stack.write([{ ...set, key: 'bad', value: plaintext as never }], callOptions()))
  expectNoSecret(store.native.get('ada')?.value)
})

describe('with keys that are replaced', () => {
  const material = moreRoots.map(
    (root, i) =>
      [root, root.toString('hex'), root.toString('base64'), root.toString('base64url')][i % 4] as Buffer,
  )
  const idOf = (i: number): string => `r${i}`
  const all = Object.fromEntries(material.map((key, i) => [idOf(i), key]))

  test('neither the keyring, nor a refusal, nor a stack before and after shows a key', () => {
    const live = keyring({ primary: 'r0', keys: all })
    const stack = compose(memory(), [encryption({ dataset: 'users', keys: live, context: contexts[0] })])
    for (const primary of ['r1', 'r2']) {
      live.replace({ primary, keys: all })
      for (const thing of [live, stack, [stack.capabilities]]) expectNoSecret(thing)
    }
    expectNoSecret(thrown(() => live.replace({ primary: 'r1', keys: { r1: moreRoots[5] as Buffer } })))
    expectNoSecret(thrown(() => live.replace({ primary: 'r1', keys: { r1: passphrases[1] as string } })))
    live.destroy('r0')
    expectNoSecret(live)
    expectNoSecret(thrown(() => live.destroy('r2')))
  })

  test('no record of a destroyed key, and no sweep over it, shows one', async () => {
    const live = keyring({ primary: 'r0', keys: all })
    const store = memory()
    const stack = compose(store, [encryption({ dataset: 'users', keys: live, context: contexts[1] })])
    for (const [i, value] of values.entries())
      await stack.write(
        [{ type: 'set', key: `key ${i}`, version: newVersion(), value: utf8(value) }],
        callOptions(),
      )
    live.replace({ primary: 'r1', keys: all })
    live.destroy('r0')
    const reads = values.map((_, i) => ({ key: `key ${i}` }))
    expectNoSecret(await stack.read(reads, callOptions()))
    const shown: unknown[] = []
    shown.push(await reencrypt(stack, { onProgress: (report) => shown.push(report) }))
    expect(shown).toHaveLength(2)
    expectNoSecret(shown)
    expectNoSecret(store.native)
  })
})

test('no refused passphrase is repeated, and none is kept', async () => {
  const salt = planted('salt').subarray(0, 16)
  for (const text of passphrases) {
    const bad = [
      { salt: salt.subarray(1) },
      { salt, cost: 2 },
      { salt, cost: 8192 },
      { salt: text },
      { salt, blockSize: text },
    ]
    for (const settings of bad)
      expectNoSecret(await passphraseKey(text, settings as never).catch((error: unknown) => error))
  }
  expectNoSecret(passphraseKey)
})

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

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
