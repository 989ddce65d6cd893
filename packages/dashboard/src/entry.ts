import {
  type Capabilities,
  type Entry,
  isEntry,
  isNotModified,
  isStoreError,
  type ReadResult,
} from '@unikv/core'
import { type AnyStack, layersOf, within } from '@unikv/core/adapter'
import { Refused, type Served } from '@unikv/http/parts'
import { type DecodedView, firstShown, mostShown } from './decode/decoding.ts'

/** Layers that only look: they hand values on as they are. */
export const watching: ReadonlySet<string> = new Set(['monitor', 'traffic'])

/** Longest time of one look. */
const lookMs = 5_000

/** A record as the application sees it. */
export interface EntryView {
  readonly version: string | undefined
  readonly expiresAt: number | undefined
  /** The tier that answers now; `undefined`: the store itself. */
  readonly tier: string | undefined
  readonly contentType: string
  /** The length of the whole value in bytes. */
  readonly bytes: number
  /** The first bytes of the value, as base64. */
  readonly base64: string
  /** Whether they are not the whole. */
  readonly isCut: boolean
  readonly decoded: DecodedView
}

/** The record below one layer. */
export interface LayerView {
  /** Name of the layer; at the end that of the store. */
  readonly name: string
  /** The size of the value as this layer hands it down; `undefined`: it keeps it in another form, or under another key. */
  readonly bytes: number | undefined
}

/** A record that was read. */
export interface FoundRecord extends Pick<Entry<unknown>, 'version' | 'expiresAt' | 'meta' | 'value'> {
  readonly body: Buffer
}

/** Read a record through its whole stack. @throws {Refused} if there is none */
export async function foundRecord({ records, bodyOf }: Served, key: string): Promise<FoundRecord> {
  const [found] = await records.read([{ key }], { timeoutMs: lookMs })
  if (isStoreError(found)) throw found
  if (found === undefined || !isEntry(found))
    throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
  const { version, expiresAt, meta, value } = found
  const { buffer, byteOffset, byteLength } = await bodyOf(value)
  return { version, expiresAt, meta, value, body: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength) }
}

/** A record as the page shows it: its first 64 KiB, or its first MiB. */
export function entryView(
  { version, expiresAt, meta, body }: FoundRecord,
  { contentType }: Served,
  decoded: DecodedView,
  isWhole: boolean,
): EntryView {
  const most = isWhole ? mostShown : firstShown
  return {
    version,
    expiresAt,
    tier: meta?.tier,
    contentType,
    bytes: body.length,
    base64: body.subarray(0, most).toString('base64'),
    isCut: body.length > most,
    decoded,
  }
}

/** The record below each layer, from the first of them to the store: each is read once. */
export async function layersView(kv: AnyStack, key: string): Promise<readonly LayerView[]> {
  const places = layersOf(kv).filter(({ layer }) => !watching.has(layer.name))
  const sizes = places.map(async ({ layer, inner }): Promise<LayerView> => {
    try {
      const [below] = await inner.read([{ key }], within(lookMs))
      return { name: layer.name, bytes: sizeOf(below) }
    } catch {
      return { name: layer.name, bytes: undefined }
    }
  })
  return Promise.all(sizes)
}

function sizeOf(result: ReadResult<unknown> | undefined): number | undefined {
  if (result === undefined || isStoreError(result) || isNotModified(result)) return undefined
  const { value } = result
  return ArrayBuffer.isView(value) ? value.byteLength : Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** Whether a stack stores values encrypted. */
export function isSealed(capabilities: Capabilities, kv: AnyStack): boolean {
  return capabilities.sealed || layersOf(kv).some(({ layer }) => layer.name === 'encryption')
}
