import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decrypt, encrypt, tagBytes } from '../src/envelope/cipher.ts'
import { hkdf } from '../src/envelope/hkdf.ts'
import { type Suite, suiteOf } from '../src/envelope/suites.ts'

/** One Wycheproof test, as far as these tests read it. */
interface Vector {
  readonly tcId: number
  readonly result: 'valid' | 'invalid' | 'acceptable'
  readonly [field: string]: unknown
}

interface VectorFile {
  readonly testGroups: readonly { readonly tests: readonly Vector[]; readonly [field: string]: unknown }[]
}

/** Test with a file of `./vectors`: each vector has the fields of its group. */
function testVectors(title: string, file: string, run: (vectors: readonly Vector[]) => void): void {
  test(title, () => {
    const text = gunzipSync(readFileSync(new URL(`vectors/${file}.gz`, import.meta.url))).toString()
    const { testGroups } = JSON.parse(text) as VectorFile
    run(testGroups.flatMap(({ tests, ...group }) => tests.map((vector) => ({ ...group, ...vector }))))
  })
}

const hex = (vector: Vector, field: string): Buffer => Buffer.from(vector[field] as string, 'hex')

const isOfOurs = ({ ivSize, tagSize, keySize }: Vector): boolean =>
  ivSize === 96 && tagSize === 128 && keySize !== 192

describe('Wycheproof', () => {
  describe.each([
    ['AES-GCM', 'aes_gcm_test.json', 100],
    ['ChaCha20-Poly1305', 'chacha20_poly1305_test.json', 300],
  ] as const)('%s', (cipher, file, least) => {
    testVectors('every vector with our sizes opens or is refused as it says', file, (all) => {
      const ours = all.filter(isOfOurs)
      expect(ours.length).toBeGreaterThan(least)
      for (const vector of ours) {
        const plaintext = decrypt(inputOf(cipher, vector), hex(vector, 'ct'), hex(vector, 'tag'))
        expect(plaintext?.toString('hex'), `test ${vector.tcId}`).toBe(
          vector.result === 'valid' ? vector['msg'] : undefined,
        )
      }
    })

    testVectors('every valid vector is what we make', file, (all) => {
      for (const vector of all.filter((one) => isOfOurs(one) && one.result === 'valid')) {
        const message = hex(vector, 'msg')
        const sealed = Buffer.alloc(message.length + tagBytes)
        encrypt(inputOf(cipher, vector), [message.subarray(0, 4), message.subarray(4)], sealed, 0)
        expect(sealed.toString('hex'), `test ${vector.tcId}`).toBe(
          (vector['ct'] as string) + (vector['tag'] as string),
        )
      }
    })
  })

  testVectors(
    'every HKDF-SHA-256 vector of up to 64 bytes is what we derive',
    'hkdf_sha256_test.json',
    (all) => {
      const ours = all.filter(({ size, result }) => (size as number) <= 64 && result === 'valid')
      expect(ours.length).toBeGreaterThan(40)
      for (const vector of ours) {
        const { key, commitment } = hkdf(hex(vector, 'ikm'), hex(vector, 'salt'), hex(vector, 'info'))
        const output = Buffer.concat([key, commitment]).subarray(0, vector['size'] as number)
        expect(output.toString('hex'), `test ${vector.tcId}`).toBe(vector['okm'])
      }
    },
  )

  testVectors('every HMAC-SHA-256 vector holds for the runtime', 'hmac_sha256_test.json', (all) => {
    for (const vector of all) {
      const tag = createHmac('sha256', hex(vector, 'key')).update(hex(vector, 'msg')).digest('hex')
      const same = tag.startsWith(vector['tag'] as string)
      expect(same, `test ${vector.tcId}`).toBe(vector.result === 'valid')
    }
  })
})

function inputOf(cipher: 'AES-GCM' | 'ChaCha20-Poly1305', vector: Vector): Parameters<typeof decrypt>[0] {
  const aes = vector['keySize'] === 128 ? 'aes-128-gcm' : 'aes-256-gcm'
  const suite: Suite = suiteOf(cipher === 'AES-GCM' ? aes : 'chacha20-poly1305')
  return { suite, key: hex(vector, 'key'), nonce: hex(vector, 'iv'), associatedData: hex(vector, 'aad') }
}
