import { StoreError } from '@unikv/core'
import { cannotLoad, causeOf } from '@unikv/core/adapter'
import { clearTimeout, setTimeout } from '@unikv/core/platform'
import type { Collection, MongoClient } from 'mongodb'
import type { MongodbRecord } from '../record.ts'
import type { MongodbAddress } from './mongodb-url.ts'

/** `native` of a store that opens its client itself, which it does on first use. For one of your own, hand in a client. */
export interface MongodbNative {
  /** The client of the driver; it is closed with the store. */
  client(): Promise<MongoClient>
  /** The collection of the store, for queries of your own. */
  collection(): Promise<Collection<MongodbRecord>>
}

/** Longest wait for a connection, for each step of its handshake, and for the answer to a heartbeat. */
const connectTimeoutMs = 3_000
/** Longest wait for a server that takes the command: shorter than most deadlines, so that the call is told why. */
const selectTimeoutMs = 3_000

/** A server that was lost for a moment is known again after this at the latest: sooner than calls give up. */
const heartbeatMs = 2_000
/** A connection that was idle for so long may have died unseen, and is not used again. */
const maxIdleMs = 4_000
/** Longest wait for a server to take the goodbye. */
const goodbyeMs = 1_000

/**
 * A client of the driver. Nothing is connected yet.
 *
 * @throws {StoreError} `INVALID_CONFIG` if the driver is not installed, or refuses the URL
 */
export async function openClient(address: MongodbAddress, maxConnections: number): Promise<MongoClient> {
  const { MongoClient } = await loadDriver()
  try {
    return new MongoClient(address.url, {
      // The callers of this store decide what is sent again, and when.
      retryWrites: false,
      retryReads: false,
      maxPoolSize: maxConnections,
      maxConnecting: maxConnections,
      connectTimeoutMS: connectTimeoutMs,
      serverSelectionTimeoutMS: selectTimeoutMs,
      heartbeatFrequencyMS: heartbeatMs,
      maxIdleTimeMS: maxIdleMs,
    })
  } catch (error) {
    const cause = causeOf(error, address.secrets)
    throw new StoreError('INVALID_CONFIG', 'The driver rejected the url; see the cause.', { cause })
  }
}

async function loadDriver(): Promise<{ readonly MongoClient: typeof MongoClient }> {
  try {
    return await import('mongodb')
  } catch (cause) {
    throw cannotLoad('mongodb', cause)
  }
}

/**
 * Close a client. Its goodbye (`endSessions`) takes a connection, and where calls wait for answers a new one, which a
 * silent server does not give: then, or after a second, the connections are cut first, by a member of the driver that is
 * not documented. A server forgets sessions by itself after half an hour.
 */
export async function closeClient(client: MongoClient, isWaiting: boolean): Promise<void> {
  const { topology } = client as { readonly topology?: { close(): void } | undefined }
  if (isWaiting) topology?.close()
  const impatience = setTimeout(() => topology?.close(), goodbyeMs)
  await client.close().finally(() => clearTimeout(impatience))
}

/** Where a client connects to, for messages: never a user or a password. */
export function whereOf({ options }: MongoClient): string {
  return options.srvHost ?? options.hosts.map(String).join(',')
}

/** Secrets of a client, which must not be shown. */
export function secretsOf({ options }: MongoClient): readonly string[] {
  return [options.credentials?.password ?? '']
}
