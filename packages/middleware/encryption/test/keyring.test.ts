import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { type Keyring, type KeyringOptions, keyring, open, seal } from '../src/index.ts'
import { codeOf, root1, root2, root3, utf8 } from './records.ts'

const at = { dataset: 'users', key: 'ada' }

test('a key is the same in bytes, hexadecimal and every form of base64', () => {
  const root = randomBytes(32)
  const base64 = root.toString('base64')
  const forms = [
    root,
    new Uint8Array(root),
    root.toString('hex'),
    root.toString('hex').toUpperCase(),
    base64,
    base64.replace('=', ''),
    root.toString('base64url'),
  ]
  const [first, ...others] = forms.map((k1) => keyring({ primary: 'k1', keys: { k1 } }))
  const envelope = seal(utf8('Ada'), { keys: first as Keyring, ...at })
  for (const keys of others) expect(open(envelope, { keys, ...at })).toEqual(Buffer.from('Ada'))
})

test('a keyring shows its identifiers and states', () => {
  const keys = keyring({
    id: 'eu',
    primary: 'k3',
    keys: { k1: { state: 'destroyed' }, k2: { key: root1, state: 'disabled' }, k3: root2 },
  })
  expect(keys).toMatchObject({ id: 'eu', primary: 'k3' })
  expect(keys.states).toEqual({ k1: 'destroyed', k2: 'disabled', k3: 'enabled' })
  expect(inspect(keys)).toBe(
    "Keyring {\n  id: 'eu',\n  primary: 'k3',\n  states: { k1: 'destroyed', k2: 'disabled', k3: 'enabled' }\n}",
  )
})

test('a keyring copies its keys: what the caller does with the bytes later changes nothing', () => {
  const root = randomBytes(32)
  const keys = keyring({ primary: 'k1', keys: { k1: root } })
  const envelope = seal(utf8('Ada'), { keys, ...at })
  root.fill(0)
  expect(open(envelope, { keys, ...at })).toEqual(Buffer.from('Ada'))
  expect(Object.isFrozen(keys) && Object.isFrozen(keys.states)).toBe(true)
})

test.each([
  [
    'an old record opens with a keyring that has a newer primary',
    { primary: 'k2', keys: { k1: root1, k2: root2 } },
    undefined,
  ],
  ['a keyring without the key does not know it', { primary: 'k2', keys: { k2: root2 } }, 'UNKNOWN_KEY_ID'],
  [
    'a disabled key opens nothing',
    { primary: 'k2', keys: { k1: { key: root1, state: 'disabled' }, k2: root2 } },
    'UNKNOWN_KEY_ID',
  ],
  [
    'a destroyed key opens nothing',
    { primary: 'k2', keys: { k1: { state: 'destroyed' }, k2: root2 } },
    'UNKNOWN_KEY_ID',
  ],
  [
    'a keyring with another identifier opens nothing',
    { id: 'other', primary: 'k1', keys: { k1: root1 } },
    'UNKNOWN_KEY_ID',
  ],
  [
    'other bytes under the same identifier open nothing',
    { primary: 'k1', keys: { k1: root2 } },
    'AUTHENTICATION_FAILED',
  ],
  [
    'the right bytes under another identifier are not tried',
    { primary: 'k2', keys: { k2: root1 } },
    'UNKNOWN_KEY_ID',
  ],
] satisfies [string, KeyringOptions, string | undefined][])('%s', (_, options, code) => {
  const old = keyring({ primary: 'k1', keys: { k1: root1 } })
  const envelope = seal(utf8('Ada'), { keys: old, ...at })
  expect(codeOf(() => open(envelope, { keys: keyring(options), ...at }))).toBe(code)
})

test('an unknown key is named, so that it can be found', () => {
  const envelope = seal(utf8('Ada'), { keys: keyring({ primary: 'k1', keys: { k1: root1 } }), ...at })
  const newer = keyring({ primary: 'k2', keys: { k1: { state: 'destroyed' }, k2: root2 } })
  expect(() => open(envelope, { keys: newer, ...at })).toThrow("the key 'k1', which is destroyed")
})

const refused: readonly [string, unknown][] = [
  ['nothing', undefined],
  ['no primary', { keys: { k1: root1 } }],
  ['no keys', { primary: 'k1' }],
  ['a primary that is not there', { primary: 'k2', keys: { k1: root1 } }],
  ['a primary that every object has', { primary: 'constructor', keys: { k1: root1 } }],
  ['a disabled primary', { primary: 'k1', keys: { k1: { key: root1, state: 'disabled' } } }],
  ['a destroyed primary', { primary: 'k1', keys: { k1: { state: 'destroyed' } } }],
  ['an unknown state', { primary: 'k1', keys: { k1: { key: root1, state: 'off' } } }],
  [
    'a destroyed key with bytes',
    { primary: 'k2', keys: { k1: { key: root1, state: 'destroyed' }, k2: root2 } },
  ],
  ['an enabled key without bytes', { primary: 'k1', keys: { k1: {} } }],
  ['a key that is not set', { primary: 'k1', keys: { k1: undefined } }],
  ['null', { primary: 'k1', keys: { k1: null } }],
  ['a passphrase', { primary: 'k1', keys: { k1: 'correct horse battery staple' } }],
  ['a passphrase of 32 characters', { primary: 'k1', keys: { k1: 'correct horse battery staples!!!' } }],
  ['a passphrase of 32 bytes', { primary: 'k1', keys: { k1: utf8('correct horse battery staples!!!') } }],
  ['hexadecimal as bytes', { primary: 'k1', keys: { k1: utf8('00112233445566778899aabbccddeeff') } }],
  ['zeros', { primary: 'k1', keys: { k1: new Uint8Array(32) } }],
  ['one byte repeated', { primary: 'k1', keys: { k1: 'ff'.repeat(32) } }],
  ['31 bytes', { primary: 'k1', keys: { k1: randomBytes(31) } }],
  ['33 bytes', { primary: 'k1', keys: { k1: randomBytes(33) } }],
  ['16 bytes', { primary: 'k1', keys: { k1: randomBytes(16) } }],
  ['63 hexadecimal digits', { primary: 'k1', keys: { k1: root1.slice(1) } }],
  ['hexadecimal with a line feed', { primary: 'k1', keys: { k1: `${root1}\n` } }],
  ['mixed alphabets of base64', { primary: 'k1', keys: { k1: `-/${root2.slice(2)}` } }],
  ['numbers', { primary: 'k1', keys: { k1: Array.from(root3) } }],
  ['one key twice', { primary: 'k1', keys: { k1: root1, k2: Buffer.from(root1, 'hex') } }],
  ['an empty identifier', { primary: '', keys: { '': root1 } }],
  ['an identifier of 16 characters', { primary: 'k'.repeat(16), keys: { ['k'.repeat(16)]: root1 } }],
  ['an identifier with a space', { primary: 'k 1', keys: { 'k 1': root1 } }],
  ['an identifier with an accent', { primary: 'ké', keys: { ké: root1 } }],
  ['the identifier __proto__', { primary: '__proto__', keys: JSON.parse(`{"__proto__":"${root1}"}`) }],
  ['a bad identifier of the keyring', { id: 'a/b', primary: 'k1', keys: { k1: root1 } }],
  ['identifiers of 17 bytes together', { id: 'eu-west-1', primary: '2026-11a', keys: { '2026-11a': root1 } }],
]

test.each(refused)('a keyring of %s is refused', (_, options) => {
  expect(codeOf(() => keyring(options as never))).toBe('INVALID_CONFIG')
})

test.each([
  undefined,
  null,
  {},
  { id: 'main', primary: 'k1', states: {} },
  { ...keyring({ primary: 'k1', keys: { k1: root1 } }) },
])('%o is no keyring', (keys) => {
  expect(codeOf(() => seal(utf8('Ada'), { keys: keys as never, ...at }))).toBe('INVALID_CONFIG')
  expect(codeOf(() => open(utf8('Ada'), { keys: keys as never, ...at }))).toBe('INVALID_CONFIG')
})
