import type * as driverModule from '@aws-sdk/client-dynamodb'
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { cannotLoad } from '@unikv/core/adapter'
import {
  awsClient,
  checkSendsOnce,
  type HttpConnections,
  handsOnAttempts,
  sendAnew,
  understands,
  withFewHeaders,
} from '@unikv/core/http-client'
import type { DynamodbSettings } from '../options.ts'
import { answers } from './answers.ts'

/** The module `@aws-sdk/client-dynamodb`. */
export type Driver = typeof driverModule

/** A client, and the commands that it takes. */
export interface OpenClient {
  readonly driver: Driver
  readonly client: DynamoDBClient
  /** The connections of a client of ours; one that was handed in has its own. */
  readonly connections: HttpConnections | undefined
}

/** Load the driver, which costs some 100 ms, and make a client. Nothing is connected yet. */
export async function openClient(settings: DynamodbSettings): Promise<OpenClient> {
  const driver = await loadDriver()
  if (settings.client !== undefined) {
    await checkSendsOnce(settings.client)
    return { driver, client: settings.client, connections: undefined }
  }
  const { client, connections } = awsClient(settings, (config) => new driver.DynamoDBClient(config))
  return { driver, client: handsOnAttempts(understands(withFewHeaders(client), answers)), connections }
}

async function loadDriver(): Promise<Driver> {
  try {
    return await import('@aws-sdk/client-dynamodb')
  } catch (cause) {
    throw cannotLoad('@aws-sdk/client-dynamodb', cause)
  }
}

/** `native` of a store that opens its client itself, which it does on first use. For all of it, hand in a client. */
export type DynamodbNative = Pick<DynamoDBClient, 'send'>

/** Commands of your own, by a client that is not open yet. */
export function lazyNative(opened: () => Promise<OpenClient>): DynamodbNative {
  const send = async (...args: unknown[]): Promise<unknown> => sendAnew((await opened()).client, args)
  return Object.freeze({ send })
}
