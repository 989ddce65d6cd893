import { type Bytes, type Entry, isVersion, type Json, type Version } from '@unikv/core'
import { corrupt, documentText } from '@unikv/core/adapter'

/** A document as it comes from the server; of other people's nothing is known. */
export interface CouchDocument {
  readonly _id: string
  readonly _rev: string
  readonly version?: unknown
  /** Milliseconds since the epoch; absent: never. */
  readonly expires_at?: unknown
  readonly value?: unknown
}

/** A document of ours without its value. */
export interface Known {
  readonly rev: string
  readonly version: Version
  readonly expiresAt: number | undefined
}

/** How values stand in documents. */
export interface ValueForm<V> {
  readonly documents: boolean
  /** As JSON text, made now: the caller may change its value while the request waits. */
  toJson(value: V): string
  /** @throws {StoreError} `CORRUPT` */
  fromField(field: unknown): V
}

export const bytesForm: ValueForm<Bytes> = {
  documents: false,
  toJson: (value) => `"${Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')}"`,
  fromField(field) {
    if (typeof field === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(field)) return Buffer.from(field, 'base64')
    throw corrupt('The document')
  },
}

export const documentForm: ValueForm<Json> = {
  documents: true,
  toJson: documentText,
  fromField(field) {
    if (field !== undefined) return field as Json
    throw corrupt('The document')
  },
}

/** Fields of a document to write. */
export interface Fields {
  readonly id: string
  readonly key: string
  readonly rev: string | undefined
  readonly version: Version
  readonly expiresAt: number | undefined
  /** JSON text. */
  readonly value: string
}

/** A document as JSON text. Documents also tell their key, for queries. */
export function documentJson(
  { id, key, rev, version, expiresAt, value }: Fields,
  documents: boolean,
): string {
  const revision = rev === undefined ? '' : `"_rev":"${rev}",`
  const expiry = expiresAt === undefined ? '' : `"expires_at":${expiresAt},`
  const named = documents ? `"key":${JSON.stringify(key)},` : ''
  return `{"_id":"${id}",${revision}"version":"${version}",${expiry}${named}"value":${value}}`
}

/** The document that takes the place of a deleted one. */
export function tombstoneJson(id: string, rev: string): string {
  return `{"_id":"${id}","_rev":"${rev}","_deleted":true}`
}

/** A document of ours without its value; `undefined` if it is none of ours. */
export function knownOf({ _rev: rev, version, expires_at: expiresAt }: CouchDocument): Known | undefined {
  if (!isVersion(version)) return undefined
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) return undefined
  return { rev, version, expiresAt: expiresAt as number | undefined }
}

/** @throws {StoreError} `CORRUPT` */
export function entryOf<V>(document: CouchDocument, form: ValueForm<V>): Entry<V> {
  const known = knownOf(document)
  if (known === undefined) throw corrupt('The document')
  const { version, expiresAt } = known
  return { value: form.fromField(document.value), version, expiresAt }
}

/** Whether a record is still there at this time. */
export function isLiveAt(known: { readonly expiresAt: number | undefined }, now: number): boolean {
  return known.expiresAt === undefined || known.expiresAt > now
}
