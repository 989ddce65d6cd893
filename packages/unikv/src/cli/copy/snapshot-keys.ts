import { StoreError } from '@unikv/core'
import { readWhole } from '@unikv/core/files'
import { type Keyring, keyring } from '@unikv/encryption'

/** Where the key of a snapshot is. */
export interface KeySource {
  readonly keyFile?: string
  readonly keyEnv?: string
}

/**
 * The key of an encrypted snapshot: from a file, or from an environment variable.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for a file that cannot be read or a variable that is not set; `INVALID_CONFIG` for another
 * value than a key
 */
export async function keysOf({ keyFile, keyEnv }: KeySource): Promise<Keyring | undefined> {
  if (keyFile !== undefined && keyEnv !== undefined)
    throw new StoreError('INVALID_ARGUMENT', 'Choose --key-file or --key-env, not both.')
  if (keyFile !== undefined) return ring(await contents(keyFile))
  if (keyEnv === undefined) return undefined
  const text = process.env[keyEnv]
  if (text === undefined || text === '')
    throw new StoreError('INVALID_ARGUMENT', `The environment variable ${keyEnv} is not set.`)
  return ring(Buffer.from(text))
}

function ring(bytes: Buffer): Keyring {
  const isRaw = bytes.length === 32
  return keyring({
    id: 'unikv',
    primary: 'snapshot',
    keys: { snapshot: isRaw ? bytes : bytes.toString('latin1').trim() },
  })
}

async function contents(file: string): Promise<Buffer> {
  return readWhole(file).catch((cause: NodeJS.ErrnoException) => {
    throw new StoreError('INVALID_ARGUMENT', `The file ${file} cannot be read (${cause.code}).`, { cause })
  })
}
