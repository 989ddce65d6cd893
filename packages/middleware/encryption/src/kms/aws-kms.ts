import { inspect } from 'node:util'
import type { Bytes, ErrorCode } from '@unikv/core'
import { checkFactoryOptions, type OptionNames, StoreError } from '@unikv/core/adapter'
import { nameOf } from './asking.ts'
import type { DataKey, KmsCall, KmsContext, KmsProvider, WrappedDataKey } from './kms-provider.ts'

/** The required parts of a `KMSClient` of `@aws-sdk/client-kms`, or of a client of the same shape. */
export interface AwsKmsClient {
  /** Send one of the commands; the signal ends it early. */
  send(command: never, options?: { readonly abortSignal?: AbortSignal }): Promise<unknown>
}

/** The commands of `@aws-sdk/client-kms`: give the module itself. */
export interface AwsKmsCommands {
  readonly GenerateDataKeyCommand: new (input: AwsInput & { readonly KeySpec: 'AES_256' }) => object
  readonly EncryptCommand: new (input: AwsInput & { readonly Plaintext: Uint8Array }) => object
  readonly DecryptCommand: new (input: AwsInput & { readonly CiphertextBlob: Uint8Array }) => object
}

/** Input of all three commands. */
export interface AwsInput {
  readonly KeyId: string
  readonly EncryptionContext: Record<string, string>
}

/** A key in AWS KMS, and how to get there. */
export interface AwsKmsOptions {
  /** With its region, credentials and retries; it stays yours, also to destroy. */
  readonly client: AwsKmsClient
  /** `import * as commands from '@aws-sdk/client-kms'` */
  readonly commands: AwsKmsCommands
  /** ARN (or identifier) of the symmetric key that wraps. No alias: it could name another key tomorrow. */
  readonly keyId: string
  /** Keys that wrapped before, and still unwrap. @default none */
  readonly formerKeyIds?: readonly string[] | undefined
  /** @default 'aws-kms' */
  readonly id?: string | undefined
}

const optionNames: OptionNames<AwsKmsOptions> = {
  client: true,
  commands: true,
  keyId: true,
  formerKeyIds: true,
  id: true,
}

/**
 * Data keys of AWS KMS, by a client that you made. The key's ARN stands in each record, and is used only if it is the
 * one given here or one of the former ones.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function awsKms(options: AwsKmsOptions): KmsProvider {
  checkFactoryOptions('awsKms', options, optionNames)
  const { client, commands, keyId, formerKeyIds = [], id = 'aws-kms' } = options ?? {}
  if (typeof client?.send !== 'function') throw invalid('client of awsKms must be a KMSClient.')
  for (const name of ['GenerateDataKeyCommand', 'EncryptCommand', 'DecryptCommand'] as const)
    if (typeof commands?.[name] !== 'function')
      throw invalid(`commands of awsKms must hold ${name}: import * as commands from '@aws-sdk/client-kms'.`)
  for (const one of [keyId, ...formerKeyIds])
    if (typeof one !== 'string' || !/^[A-Za-z0-9:/_-]{1,512}$/.test(one) || /(?:^|:)alias\//.test(one))
      throw invalid(
        'keyId of awsKms must be the ARN or identifier of a key; an alias could name another key tomorrow.',
      )
  return Object.freeze(new AwsKms({ client, commands, keyId, formerKeyIds: [...formerKeyIds], id }))
}

class AwsKms implements KmsProvider {
  readonly id: string
  readonly info: string
  readonly #options: Required<{ [K in keyof AwsKmsOptions]: NonNullable<AwsKmsOptions[K]> }>

  constructor(options: Required<{ [K in keyof AwsKmsOptions]: NonNullable<AwsKmsOptions[K]> }>) {
    this.id = options.id
    this.info = options.keyId
    this.#options = options
  }

  async generateDataKey(context: KmsContext, call: KmsCall): Promise<DataKey> {
    const { commands, keyId } = this.#options
    const input = { KeyId: keyId, KeySpec: 'AES_256', EncryptionContext: { ...context } } as const
    const { Plaintext, CiphertextBlob } = await this.#send(new commands.GenerateDataKeyCommand(input), call)
    return { key: Plaintext as Bytes, blob: CiphertextBlob as Bytes }
  }

  async encryptDataKey(key: Bytes, context: KmsContext, call: KmsCall): Promise<Bytes> {
    const { commands, keyId } = this.#options
    const input = { KeyId: keyId, Plaintext: key, EncryptionContext: { ...context } }
    const { CiphertextBlob } = await this.#send(new commands.EncryptCommand(input), call)
    return CiphertextBlob as Bytes
  }

  async decryptDataKey({ blob, info }: WrappedDataKey, context: KmsContext, call: KmsCall): Promise<Bytes> {
    const { commands, keyId, formerKeyIds } = this.#options
    const KeyId = [keyId, ...formerKeyIds].find((one) => one === info)
    if (KeyId === undefined)
      throw new StoreError(
        'UNKNOWN_KEY_ID',
        'The data key was wrapped by a key of AWS KMS that is not configured. Add it to formerKeyIds to open the record.',
      )
    const input = { KeyId, CiphertextBlob: blob, EncryptionContext: { ...context } }
    const { Plaintext } = await this.#send(new commands.DecryptCommand(input), call)
    return Plaintext as Bytes
  }

  async #send(command: object, { signal }: KmsCall): Promise<Answer> {
    try {
      return (await this.#options.client.send(command as never, { abortSignal: signal })) as Answer
    } catch (error) {
      throw failureOf(error)
    }
  }

  [inspect.custom](): string {
    return `AwsKms ${inspect({ id: this.id, info: this.info })}`
  }
}

interface Answer {
  readonly Plaintext?: unknown
  readonly CiphertextBlob?: unknown
}

const codes: readonly (readonly [ErrorCode, readonly string[]])[] = [
  ['AUTHENTICATION_FAILED', ['InvalidCiphertextException', 'IncorrectKeyException']],
  ['UNKNOWN_KEY_ID', ['NotFoundException', 'DisabledException', 'KMSInvalidStateException']],
  ['OVERLOADED', ['ThrottlingException', 'LimitExceededException', 'RequestLimitExceeded']],
  [
    'ACCESS_DENIED',
    [
      'AccessDeniedException',
      'UnrecognizedClientException',
      'InvalidSignatureException',
      'ExpiredTokenException',
      'CredentialsProviderError',
    ],
  ],
]

/** The error by its name alone: the client's own holds the request and the answer. */
function failureOf(error: unknown): unknown {
  const name = nameOf(error)
  const code = codes.find(([, names]) => name !== undefined && names.includes(name))?.[0]
  if (code === undefined) return error
  return new StoreError(
    code,
    `AWS KMS answered ${name}. Check the key, its policy and the encryption context.`,
  )
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
