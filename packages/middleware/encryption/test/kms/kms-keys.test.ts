import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { encryption, kmsKeys, localKms } from '../../src/index.ts'
import { watched } from '../kms-doubles.ts'
import { codeOf, keys as plainKeys } from '../records.ts'
import { dataset } from '../stored.ts'

describe('kmsKeys', () => {
  const good = watched()
  const bad: readonly [string, unknown][] = [
    ['nothing', undefined],
    ['no provider', { providers: [] }],
    ['nine providers', { providers: Array.from({ length: 9 }, (_, i) => ({ ...good, id: `p${i}` })) }],
    ['one provider twice', { providers: [good, good] }],
    ['a provider without a name', { providers: { ...good, id: '' } }],
    ['a provider with a bad name', { providers: { ...good, id: 'a b' } }],
    ['a provider without info', { providers: { ...good, info: undefined } }],
    ['a provider that cannot decrypt', { providers: { ...good, decryptDataKey: undefined } }],
    [
      'a second provider that cannot encrypt',
      { providers: [good, { ...watched('second'), encryptDataKey: undefined }] },
    ],
    ['a bad id', { providers: good, id: 'a/b' }],
    ['ids of 17 bytes', { providers: good, id: 'main-keys-here', keyId: 'kms' }],
    ['a bad context', { providers: good, context: { a: 1 } }],
    ['a context of ours', { providers: good, context: { 'unikv:dataset': 'x' } }],
    ['no context', { providers: good, context: null }],
    ['no message', { providers: good, maxMessages: 0 }],
    ['no age', { providers: good, maxAgeMs: Number.NaN }],
    ['a keyring that is none', { providers: good, keyring: {} }],
  ]
  test.each(bad)('refuses %s', (_, options) => {
    expect(codeOf(() => kmsKeys(options as never))).toBe('INVALID_CONFIG')
  })

  test('shows identifiers alone', () => {
    expect(inspect(kmsKeys({ providers: good }), { showHidden: true, depth: 9 })).toBe(
      "KmsKeys { id: 'main', keyId: 'kms', providers: [ 'local' ] }",
    )
    expect(inspect(localKms({ keys: plainKeys }))).toBe("LocalKms { id: 'local', info: 'k1' }")
  })

  test('is refused where a keyring is due, and a look-alike where it is due', () => {
    expect(codeOf(() => localKms({ keys: kmsKeys({ providers: good }) as never }))).toBe('INVALID_CONFIG')
    expect(codeOf(() => encryption({ dataset, keys: { ...kmsKeys({ providers: good }) } }))).toBe(
      'INVALID_CONFIG',
    )
    expect(codeOf(() => localKms({ keys: {} as never }))).toBe('INVALID_CONFIG')
  })
})
