import { type Capabilities, isEntry, isNotModified, isStoreError, type ReadResult } from '@unikv/core'
import { type AnyStack, layersOf, within } from '@unikv/core/adapter'
import { Refused, type Served } from '@unikv/http/parts'

/** Layers that only look: they hand values on as they are. */
export const watching: ReadonlySet<string> = new Set(['monitor', 'traffic'])

/** So much of a value is shown. */
const shownBytes = 65_536

/** Longest time of one look. */
const lookMs = 5_000

/** A record as the application sees it, and how it lies at each layer. */
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
  /** The value on its way down, from the first layer to the store. */
  readonly layers: readonly LayerView[]
}

/** The record below one layer. */
export interface LayerView {
  /** Name of the layer; at the end that of the store. */
  readonly name: string
  /** The size of the value as this layer hands it down; `undefined`: it keeps it in another form, or under another key. */
  readonly bytes: number | undefined
}

/** Look at a record, from the top of its stack to the store. @throws {Refused} if there is none */
export async function entryView(
  kv: AnyStack,
  { records, bodyOf, contentType }: Served,
  key: string,
): Promise<EntryView> {
  const [found] = await records.read([{ key }], { timeoutMs: lookMs })
  if (isStoreError(found)) throw found
  if (found === undefined || !isEntry(found))
    throw new Refused(404, 'NOT_FOUND', 'There is no record with this key.')
  const { version, expiresAt, meta, value } = found
  const body = Buffer.from(await bodyOf(value))
  return {
    version,
    expiresAt,
    tier: meta?.tier,
    contentType,
    bytes: body.length,
    base64: body.subarray(0, shownBytes).toString('base64'),
    isCut: body.length > shownBytes,
    layers: await layersView(kv, key),
  }
}

async function layersView(kv: AnyStack, key: string): Promise<readonly LayerView[]> {
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
