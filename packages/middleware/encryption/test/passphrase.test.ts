import { inspect } from 'node:util'
import { isStoreError } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { keyring, open, type PassphraseOptions, passphraseKey, seal } from '../src/index.ts'
import { utf8 } from './records.ts'

const passphrase = 'correct horse battery é'
const salt = Uint8Array.from({ length: 16 }, (_, i) => i)
/** The cheapest that is allowed: 8 MiB. */
const cheap: PassphraseOptions = { salt, cost: 8192, parallelization: 10 }

describe('a key of a passphrase', () => {
  test("is scrypt's: Python's hashlib gives the same bytes", async () => {
    expect(hex(await passphraseKey(passphrase, cheap))).toBe(
      'bcc60ce23be0f7afa655db515841def5f772c3d68fdb48ffb837b9f5707a0029',
    )
    expect(hex(await passphraseKey(passphrase, { salt, cost: 16_384, parallelization: 5 }))).toBe(
      '52190b849dae31d1e74cae9b7c99844ca83a9233dcd860c7b6dfc8afda98d7ad',
    )
  })

  test('is key material of a keyring, and the same for both forms of an accent', async () => {
    const [k1, again] = await Promise.all([
      passphraseKey(passphrase, cheap),
      passphraseKey(passphrase.normalize('NFD'), cheap),
    ])
    const at = { dataset: 'users', key: 'ada' }
    const envelope = seal(utf8('Ada'), { ...at, keys: keyring({ primary: 'k1', keys: { k1 } }) })
    expect(open(envelope, { ...at, keys: keyring({ primary: 'k1', keys: { k1: again } }) })).toEqual(
      Buffer.from('Ada'),
    )
  })

  test('is another one with another salt, and keeps its bytes if the salt is changed meanwhile', async () => {
    const own = Uint8Array.from(salt)
    const first = passphraseKey(passphrase, { ...cheap, salt: own })
    own.fill(9)
    expect(hex(await first)).toBe(hex(await passphraseKey(passphrase, cheap)))
    const other = Uint8Array.from(salt).fill(7, 0, 1)
    expect(hex(await passphraseKey(passphrase, { ...cheap, salt: other }))).not.toBe(hex(await first))
  })
})

const refused: readonly [string, unknown, unknown, RegExp][] = [
  ['no salt', passphrase, {}, /salt must be/],
  ['no options', passphrase, undefined, /salt must be/],
  ['a salt of 15 bytes', passphrase, { salt: salt.subarray(1) }, /salt must be/],
  ['a salt of text', passphrase, { salt: 'sixteen letters!' }, /salt must be/],
  ['a salt of zeros', passphrase, { salt: new Uint8Array(16) }, /repeats one byte/],
  ['a salt of 1025 bytes', passphrase, { salt: new Uint8Array(1025).fill(1, 9) }, /salt must be/],
  ['11 characters', 'elevenchars', cheap, /at least 12/],
  ['few characters', 'abababababababab', cheap, /repeats few/],
  ['no string', utf8(passphrase), cheap, /well-formed/],
  ['a lone surrogate', `${passphrase}\ud800`, cheap, /well-formed/],
  ['a passphrase of a novel', 'abcdefgh '.repeat(500), cheap, /at most 4096/],
  ['a cost of 4096', passphrase, { salt, cost: 4096, parallelization: 64 }, /too low/],
  ['a cost of 8192 alone', passphrase, { salt, cost: 8192 }, /parallelization of at least 10/],
  ['a cost of 65536 alone', passphrase, { salt, cost: 65_536 }, /parallelization of at least 2/],
  ['a cost that is no power of 2', passphrase, { salt, cost: 131_073 }, /power of 2/],
  ['a cost of text', passphrase, { salt, cost: '131072' }, /power of 2/],
  ['a cost of 2^25', passphrase, { salt, cost: 2 ** 25 }, /power of 2/],
  ['a small block', passphrase, { salt, blockSize: 7 }, /blockSize/],
  ['half a lane', passphrase, { salt, parallelization: 1.5 }, /parallelization/],
  ['more memory than allowed', passphrase, { salt, cost: 2 ** 18 }, /maxMemoryBytes/],
  ['no number of bytes', passphrase, { salt, maxMemoryBytes: 'all' }, /maxMemoryBytes/],
]

test.each(refused)(
  '%s is refused with the reason, and without the passphrase',
  async (_, text, options, why) => {
    const error = await passphraseKey(text as never, options as never).catch((failure: unknown) => failure)
    expect(isStoreError(error) && error.code).toBe('INVALID_CONFIG')
    expect((error as Error).message).toMatch(why)
    for (const secret of [passphrase, 'elevenchars', 'abababab', 'abcdefgh'])
      expect(inspect(error, { showHidden: true })).not.toContain(secret)
  },
)

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
