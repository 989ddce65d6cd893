import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { expect, test, vi } from 'vitest'

/** A client of the SDK for AWS, as far as it is looked at. */
export interface AwsClient {
  readonly config: {
    /** Resolves to how it tries again. */
    retryStrategy(): Promise<object>
  }
  /** End its connections. */
  destroy(): void
}

/** An adapter on the SDK for AWS. */
export interface AwsAdapter {
  /** Makes a client of the service. */
  readonly client: (config: object) => AwsClient
  /** Opens a store with these options. */
  readonly open: (options: object) => Store<Bytes>
}

/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:1'
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }
const config = { credentials, region: 'us-east-1' }

/** Declares tests of clients of the SDK, which are handed in or made by the store, and of what they send. */
export function testAwsClients(adapter: AwsAdapter): void {
  const failureOf = async (options: object): Promise<unknown> => {
    await using kv = keyValue(adapter.open(options))
    return await kv.set('key', Buffer.from('value')).catch((error: unknown) => error)
  }
  testHandedIn(adapter, failureOf)
  testRequests(adapter)

  test('the SDK does not warn of old versions of Node', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    expect(await failureOf({ endpoint: nowhere, credentials })).toMatchObject({ code: 'UNAVAILABLE' })
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  test('no credentials anywhere is ACCESS_DENIED, nothing was sent', async () => {
    const provider = () =>
      Promise.reject(Object.assign(new Error('none'), { name: 'CredentialsProviderError' }))
    expect(await failureOf({ region: 'us-east-1', credentials: provider })).toMatchObject({
      code: 'ACCESS_DENIED',
    })
  })
}

function testHandedIn({ client }: AwsAdapter, failureOf: (options: object) => Promise<unknown>): void {
  test('a client that was handed in tells the same', async () => {
    const given = client({ ...config, endpoint: nowhere, maxAttempts: 1 })
    expect(await failureOf({ client: given })).toMatchObject({ code: 'UNAVAILABLE' })
    given.destroy()
  })

  test('a client that tries again by itself is refused', async () => {
    const given = client({ ...config, maxAttempts: 3 })
    expect(await failureOf({ client: given })).toMatchObject({
      code: 'INVALID_CONFIG',
      message: 'Create the client with maxAttempts: 1, so that it never sends a write twice.',
    })
    given.destroy()
  })

  test('a client whose strategy counts attempts by itself is refused with any maxAttempts', async () => {
    const strategyOf = (more: object) => client({ ...config, ...more }).config.retryStrategy()
    const own = {
      acquireInitialRetryToken: () => Promise.reject(new Error('never asked')),
      refreshRetryTokenForRetry: () => Promise.reject(new Error('never asked')),
      recordSuccess: () => undefined,
    }
    const adaptive = await strategyOf({ retryMode: 'adaptive', maxAttempts: 4 })
    for (const retryStrategy of [await strategyOf({ maxAttempts: 4 }), adaptive, own])
      expect(await failureOf({ client: client({ ...config, maxAttempts: 1, retryStrategy }) })).toMatchObject(
        {
          code: 'INVALID_CONFIG',
          message: expect.stringContaining('without a retryStrategy'),
        },
      )
    const retryStrategy = await strategyOf({ maxAttempts: 1 })
    const given = client({ ...config, endpoint: nowhere, maxAttempts: 1, retryStrategy })
    expect(await failureOf({ client: given })).toMatchObject({ code: 'UNAVAILABLE' })
  })
}

function testRequests({ open }: AwsAdapter): void {
  test('requests name unikv, and carry what is signed and no more', async () => {
    const asked: IncomingHttpHeaders[] = []
    const server = createServer((request, response) => {
      asked.push(request.headers)
      response.writeHead(500).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    await using kv = keyValue(
      open({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, credentials }),
    )
    await expect(kv.has('key')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    server.close()
    const [headers] = asked as [IncomingHttpHeaders]
    expect(headers['user-agent']).toBe('unikv')
    const signed = /SignedHeaders=([^,]+)/.exec(String(headers.authorization))?.[1]?.split(';') ?? []
    const unsigned = ['authorization', 'connection', 'user-agent']
    expect(Object.keys(headers).toSorted()).toEqual([...signed, ...unsigned].toSorted())
    expect(signed).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-content-sha256']))
    expect(signed.filter((name) => /^amz-sdk|user-agent|checksum/.test(name))).toEqual([])
  })
}
