import { compose, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { encryption, keyring, passphraseKey, reencrypt } from '../src/index.ts'
import { utf8 } from './records.ts'
import {
  contexts,
  expectNoSecret,
  expectSilentOutput,
  moreRoots,
  passphrases,
  planted,
  thrown,
  values,
} from './secrets.ts'

expectSilentOutput()

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
