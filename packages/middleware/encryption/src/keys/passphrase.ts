import { scrypt } from 'node:crypto'
import type { Bytes } from '@unikv/core'
import {
  type OptionsOf,
  positive,
  readOptions,
  type SettingsOf,
  StoreError,
  valid,
  whole,
} from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'

const table = {
  /** 16 to 1024 random bytes, made once for this key; not secret. `openssl rand -hex 16` */
  salt: checkedSalt,
  /** N of scrypt (RFC 7914): a power of 2, at least 8192. @default 131,072 */
  cost: valid<number, number>('be a power of 2, at most 16777216', isCost, 131_072),
  /** r of scrypt: 8 to 32. @default 8 */
  blockSize: whole(8, 8, 32),
  /** p of scrypt: 1 to 64; a lower cost needs more of it. @default 1 */
  parallelization: whole(1, 1, 64),
  /** Most memory that the derivation may take, in bytes. @default 268,435,456 (256 MiB) */
  maxMemoryBytes: positive(268_435_456),
}

/** How a passphrase becomes a key. The same options give the same key: keep them beside the data. */
export interface PassphraseOptions extends OptionsOf<typeof table> {}

/** Costs that OWASP's Password Storage Cheat Sheet calls equal, with the parallelization that each needs. */
const leastParallelization: readonly (readonly [cost: number, parallelization: number])[] = [
  [2 ** 17, 1],
  [2 ** 16, 2],
  [2 ** 15, 3],
  [2 ** 14, 5],
  [2 ** 13, 10],
]

const leastCharacters = 12
const mostPassphraseBytes = 4096
const keyBytes = 32

/**
 * A key for `keyring` out of a passphrase, by scrypt. Random bytes are better keys (`openssl rand -base64 32`); this
 * is for secrets that people must remember. It takes about 128 MiB and a second on a thread of its own; several
 * calls take their turns, so that memory is needed once. The passphrase is normalised (NFC) and not kept.
 *
 * ```ts
 * const k1 = await passphraseKey(passphrase, { salt: Buffer.from(process.env.SALT, 'hex') })
 * const keys = keyring({ primary: 'k1', keys: { k1 } })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a short passphrase, a short salt, weak or too expensive parameters
 */
export async function passphraseKey(passphrase: string, options: PassphraseOptions): Promise<Bytes> {
  const settings = readOptions('passphraseKey', table, options)
  checkCost(settings)
  const secret = checkedPassphrase(passphrase)
  const turn = last.then(() => derive(secret, settings))
  last = turn.then(nothing, nothing)
  try {
    return await turn
  } finally {
    secret.fill(0)
  }
}

/** The derivation under way: one at a time. */
let last: Promise<void> = Promise.resolve()

function nothing(): void {
  // The next one only waits for the end.
}

type Settings = SettingsOf<typeof table>

function derive(secret: Buffer, settings: Settings): Promise<Buffer> {
  const { salt, cost, blockSize, parallelization } = settings
  const limits = { cost, blockSize, parallelization, maxmem: memoryBytes(settings) }
  return new Promise((resolve, reject) => {
    scrypt(secret, salt, keyBytes, limits, (error, key) => {
      if (error === null) resolve(key)
      else reject(invalid('scrypt failed with this cost. Check that there is enough memory.'))
    })
  })
}

function isCost(cost: unknown): boolean {
  return (
    Number.isSafeInteger(cost) && Number.isInteger(Math.log2(cost as number)) && (cost as number) <= 2 ** 24
  )
}

/** A copy, as it waits for its turn: later changes by the caller have no effect. */
function checkedSalt(salt: Bytes): Uint8Array {
  if (!isBytes(salt) || salt.length < 16 || salt.length > 1024)
    throw invalid(
      'salt must be 16 to 1024 random bytes, kept with the data. Create it with: openssl rand -hex 16.',
    )
  if (salt.every((byte) => byte === salt[0]))
    throw invalid('salt repeats one byte. Create a random one with: openssl rand -hex 16.')
  return Uint8Array.from(salt)
}

function checkCost(settings: Settings): void {
  const { cost, parallelization, maxMemoryBytes } = settings
  const least = leastParallelization.find(([enough]) => cost >= enough)?.[1]
  if (least === undefined)
    throw invalid('cost is too low. Use 131072, or at least 8192 with parallelization 10.')
  if (parallelization < least)
    throw invalid(`A cost of ${cost} is too low on its own: it needs a parallelization of at least ${least}.`)
  if (memoryBytes(settings) > maxMemoryBytes)
    throw invalid(
      `scrypt would take ${memoryBytes(settings)} bytes with these parameters, more than maxMemoryBytes allows.`,
    )
}

/** Memory that scrypt takes, as OpenSSL counts it. */
function memoryBytes({ cost, blockSize, parallelization }: Settings): number {
  return 128 * blockSize * (cost + parallelization + 2)
}

function checkedPassphrase(passphrase: unknown): Buffer {
  if (typeof passphrase !== 'string' || !passphrase.isWellFormed())
    throw invalid('A passphrase must be a well-formed string.')
  const normal = passphrase.normalize('NFC')
  const characters = Array.from(normal)
  if (characters.length < leastCharacters)
    throw invalid(`A passphrase must have at least ${leastCharacters} characters. Use several words.`)
  if (new Set(characters).size < 5) throw invalid('The passphrase repeats few characters. Use several words.')
  if (Buffer.byteLength(normal) > mostPassphraseBytes)
    throw invalid(`A passphrase must have at most ${mostPassphraseBytes} bytes.`)
  return Buffer.from(normal)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
