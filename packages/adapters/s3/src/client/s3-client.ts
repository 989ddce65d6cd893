import type * as driverModule from '@aws-sdk/client-s3'
import type { S3Client } from '@aws-sdk/client-s3'
import { cannotLoad } from '@unikv/core/adapter'
import {
  awsClient,
  checkSendsOnce,
  type HttpConnections,
  handsOnAttempts,
  sendAnew,
  withFewHeaders,
} from '@unikv/core/http-client'
import type { S3Settings } from '../options.ts'

/** The module `@aws-sdk/client-s3`. */
export type Driver = typeof driverModule

/** A client, and the commands that it takes. */
export interface OpenClient {
  readonly driver: Driver
  readonly client: S3Client
  /** The connections of a client of ours; one that was handed in has its own. */
  readonly connections: HttpConnections | undefined
}

/** Load the driver, which costs some 100 ms, and make a client. Nothing is connected yet. */
export async function openClient(settings: S3Settings): Promise<OpenClient> {
  const driver = await loadDriver()
  if (settings.client !== undefined) {
    await checkSendsOnce(settings.client)
    return { driver, client: settings.client, connections: undefined }
  }
  const { client, connections } = awsClient(settings, (config) => {
    const { forcePathStyle } = settings
    return new driver.S3Client({ ...config, forcePathStyle, expectContinueHeader: false })
  })
  return { driver, client: handsOnAttempts(withFewHeaders(client)), connections }
}

async function loadDriver(): Promise<Driver> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (cause) {
    throw cannotLoad('@aws-sdk/client-s3', cause)
  }
}

/** `native` of a store that opens its client itself, which it does on first use. For all of it, hand in a client. */
export type S3Native = Pick<S3Client, 'send'>

/** Commands of your own, by a client that is not open yet. */
export function lazyNative(opened: () => Promise<OpenClient>): S3Native {
  const send = async (...args: unknown[]): Promise<unknown> => sendAnew((await opened()).client, args)
  return Object.freeze({ send })
}
