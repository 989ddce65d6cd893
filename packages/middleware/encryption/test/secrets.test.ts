import { compose, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { Opener } from '../src/envelope/opener.ts'
import { Sealer } from '../src/envelope/sealer.ts'
import { encryption, type KeyringOptions, keyring, open, seal } from '../src/index.ts'
import { changed, root1, root2, root3, utf8 } from './records.ts'
import { expectNoSecret, expectSilentOutput, passphrase, plaintext, secrets, thrown } from './secrets.ts'
import { seen } from './shown.ts'

expectSilentOutput()

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
