import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Question {
  readonly KeyId: string
  readonly KeySpec?: string
  readonly Plaintext?: string
  readonly CiphertextBlob?: string
  readonly EncryptionContext?: Readonly<Record<string, string>>
}

/** What the server was asked: the operation, and the key and context that were named. */
export interface Asked {
  readonly operation: string
  readonly KeyId: string
  readonly EncryptionContext: Readonly<Record<string, string>> | undefined
}

class Refusal extends Error {
  readonly type: string

  constructor(type: string) {
    super(type)
    this.type = type
  }
}

/**
 * A server that speaks the JSON protocol of AWS KMS (1.1): GenerateDataKey, Encrypt and Decrypt with symmetric keys by
 * ARN, whose blobs are bound to the encryption context.
 */
export class KmsServer {
  readonly asked: Asked[] = []
  /** Answer with this error instead; with `hang` not at all. */
  fails: string | undefined
  readonly #keys: ReadonlyMap<string, Buffer>
  readonly #server: Server

  constructor(arns: readonly string[]) {
    this.#keys = new Map(arns.map((arn) => [arn, randomBytes(32)]))
    this.#server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        if (this.fails === 'hang') return
        const operation = String(request.headers['x-amz-target']).replace('TrentService.', '')
        const { status, answer } = this.#answer(operation, JSON.parse(body) as Question)
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' })
        response.end(JSON.stringify(answer))
      })
    })
  }

  /** Its address, once it listens. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(operation: string, question: Question): { readonly status: number; readonly answer: object } {
    const { KeyId, EncryptionContext } = question
    this.asked.push({ operation, KeyId, EncryptionContext })
    try {
      if (this.fails !== undefined) throw new Refusal(this.fails)
      return { status: 200, answer: this.#done(operation, question) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { status: 400, answer: { __type: error.type, message: 'told with the secret hunter2' } }
    }
  }

  #done(operation: string, { KeyId, KeySpec, EncryptionContext, ...question }: Question): object {
    const key = this.#keys.get(KeyId)
    if (key === undefined) throw new Refusal('NotFoundException')
    const context = JSON.stringify(
      Object.entries(EncryptionContext ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    )
    if (operation === 'Decrypt') {
      const plaintext = unwrap(key, context, Buffer.from(question.CiphertextBlob ?? '', 'base64'))
      return { KeyId, Plaintext: plaintext.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' }
    }
    const isNew = operation === 'GenerateDataKey' && KeySpec === 'AES_256'
    const plaintext = isNew ? randomBytes(32) : Buffer.from(question.Plaintext ?? '', 'base64')
    const CiphertextBlob = wrap(key, context, plaintext).toString('base64')
    return { KeyId, CiphertextBlob, ...(isNew && { Plaintext: plaintext.toString('base64') }) }
  }
}

function wrap(key: Buffer, context: string, plaintext: Buffer): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function unwrap(key: Buffer, context: string, blob: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12), { authTagLength: 16 })
  decipher.setAAD(Buffer.from(context)).setAuthTag(blob.subarray(-16))
  try {
    return Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()])
  } catch {
    throw new Refusal('InvalidCiphertextException')
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
