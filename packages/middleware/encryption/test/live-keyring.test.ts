import { inspect } from 'node:util'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { readHeader } from '../src/envelope/envelope.ts'
import { Sealer } from '../src/envelope/sealer.ts'
import { encryption, type Keyring, keyring, open, seal } from '../src/index.ts'
import { sealingKey } from '../src/keys/keyring.ts'
import { codeOf, root1, root2, root3, utf8 } from './records.ts'
import { dataset, held } from './stored.ts'

const at = { dataset, key: 'ada' }
const live = (): Keyring => keyring({ primary: 'k1', keys: { k1: root1 } })
const keyIdOf = (envelope: Uint8Array): string => readHeader(envelope).keyId

describe('a keyring in use', () => {
  test('is followed by the layers that hold it: the new primary seals, the old key opens', async () => {
    const keys = live()
    const store = memory()
    const users = keyValue(store, [json(), encryption({ dataset, keys })])
    await users.set('a', 1)
    keys.replace({ primary: 'k2', keys: { k1: root1, k2: root2 } })
    await users.set('b', 2)
    expect([keyIdOf(held(store, 'a')), keyIdOf(held(store, 'b'))]).toEqual(['k1', 'k2'])
    expect(await users.getMany(['a', 'b'])).toEqual([1, 2])
    expect(keys).toMatchObject({ primary: 'k2', states: { k1: 'enabled', k2: 'enabled' } })
    keys.destroy('k1')
    await expect(users.get('a')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    expect(await users.get('b')).toBe(2)
    expect(inspect(keys)).toContain("k1: 'destroyed'")
  })

  test('ends a batch with the key that it began with', () => {
    const keys = live()
    const one = new Sealer({ dataset, keys }).batch()
    const before = one('ada', utf8('1'))
    keys.replace({ primary: 'k2', keys: { k1: root1, k2: root2 } })
    expect([keyIdOf(before), keyIdOf(one('ada', utf8('2')))]).toEqual(['k1', 'k1'])
    expect(open(one('ada', utf8('3')), { ...at, keys })).toEqual(Buffer.from('3'))
  })

  test('takes a key of another length of name', () => {
    const keys = live()
    const sealer = new Sealer({ dataset, keys })
    keys.replace({ primary: '2026-11', keys: { k1: root1, '2026-11': root2 } })
    const envelope = sealer.batch()('ada', utf8('Ada'))
    expect(keyIdOf(envelope)).toBe('2026-11')
    expect(open(envelope, { ...at, keys })).toEqual(Buffer.from('Ada'))
  })

  test('overwrites its copies of destroyed, missing and replaced keys with zeros', () => {
    const keys = keyring({ primary: 'k1', keys: { k1: root1, k2: root2, k3: root3 } })
    const { root: first } = sealingKey(keys)
    keys.replace({ primary: 'k2', keys: { k1: root1, k2: root2 } })
    expect(first.every((byte) => byte === 0)).toBe(true)
    const { root: second } = sealingKey(keys)
    keys.replace({ primary: 'k1', keys: { k1: root1, k2: root2 } })
    keys.destroy('k2')
    expect(second.every((byte) => byte === 0)).toBe(true)
    const { root: third } = sealingKey(keys)
    expect(third.toString('hex')).toBe(root1)
    expect(third.buffer.byteLength, 'memory of its own').toBe(32)
  })

  test('never overwrites the bytes of the caller', () => {
    const own = Uint8Array.from(root3)
    const keys = keyring({ primary: 'k3', keys: { k3: own } })
    keys.replace({ primary: 'k1', keys: { k1: root1, k3: own } })
    keys.destroy('k3')
    expect(own).toEqual(root3)
  })

  const bad: readonly [string, unknown][] = [
    ['nothing', undefined],
    ['a primary that is not there', { primary: 'k9', keys: { k1: root1 } }],
    ['other bytes under an old identifier', { primary: 'k1', keys: { k1: root2 } }],
    ['other bytes beside a good primary', { primary: 'k2', keys: { k1: root3, k2: root2 } }],
    ['a passphrase', { primary: 'k2', keys: { k1: root1, k2: 'correct horse battery staple' } }],
    ['a disabled primary', { primary: 'k1', keys: { k1: { key: root1, state: 'disabled' } } }],
    ['twins', { primary: 'k1', keys: { k1: root1, k2: root1 } }],
  ]
  test.each(bad)('is as it was after %s was refused', (_, options) => {
    const keys = live()
    const envelope = seal(utf8('Ada'), { ...at, keys })
    expect(codeOf(() => keys.replace(options as never))).toBe('INVALID_CONFIG')
    expect(keys).toMatchObject({ primary: 'k1', states: { k1: 'enabled' } })
    expect(open(envelope, { ...at, keys })).toEqual(Buffer.from('Ada'))
    expect(open(seal(utf8('Eve'), { ...at, keys }), { ...at, keys: live() })).toEqual(Buffer.from('Eve'))
  })

  test('destroys neither its primary nor a key that is not there', () => {
    const keys = live()
    expect(codeOf(() => keys.destroy('k1'))).toBe('INVALID_CONFIG')
    expect(codeOf(() => keys.destroy('k2'))).toBe('INVALID_CONFIG')
    expect(open(seal(utf8('Ada'), { ...at, keys }), { ...at, keys })).toEqual(Buffer.from('Ada'))
  })

  test('shows its identifiers in JSON too, and nothing else', () => {
    expect(JSON.parse(JSON.stringify(live()))).toEqual({
      id: 'main',
      primary: 'k1',
      states: { k1: 'enabled' },
    })
  })
})
