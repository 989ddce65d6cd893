import { StoreError } from '@unikv/core'
import { isError, pause } from '@unikv/core/platform'
import { Refused, type Served } from '@unikv/http/parts'
import { atOnce } from './at-once.ts'
import { DecodeFailure, DecodeThread } from './decode-thread.ts'
import { chosenSteps, type Decoders, type OwnDecoder } from './decoders.ts'
import { displayOf } from './display.ts'
import type { Decoded, Step } from './task.ts'

/** Longest value that is decoded, in bytes. */
const mostDecoded = 8_388_608

/** Longest time of a function of the program, in milliseconds. */
const ownMs = 2_000

/** Characters that are shown at first, and when a reader asks for more. */
export const [firstShown, mostShown] = [65_536, 1_048_576]

/** A value as the page shows it. */
export interface DecodedView {
  /** Names of the decoders, the first one first. */
  readonly as: readonly string[]
  /** Where the choice comes from. */
  readonly by: 'you' | 'the configuration' | 'the layers' | 'the first bytes'
  /** `hex`: as bytes. */
  readonly kind: 'json' | 'text' | 'hex' | 'image'
  /** The text of `json` and `text`; `undefined`: the bytes themselves are the text. */
  readonly text?: string | undefined
  /** Characters of the whole text. */
  readonly characters?: number | undefined
  /** The media type of an image. */
  readonly type?: string | undefined
  /** Why it is shown as bytes. */
  readonly error?: string | undefined
  /** How it can be edited: as text that is stored, as JSON that a decoder encodes; `undefined`: not at all. */
  readonly edits?: 'text' | 'value' | undefined
  /** The decoder of the configuration for this key, which can be chosen as `own`. */
  readonly own?: string | undefined
}

/** A value to be shown. */
export interface Shown {
  readonly store: string
  /** As the application writes it. */
  readonly key: string
  readonly served: Served
  /** As the application has it. */
  readonly value: unknown
  readonly body: Buffer
}

type Way = Pick<DecodedView, 'by'> & {
  readonly steps: readonly Step[] | 'guess' | 'value'
  readonly own?: OwnDecoder | undefined
}

/** Makes of values what the page shows of them. */
export class Decoding {
  readonly #decoders: Decoders
  readonly #thread = new DecodeThread()

  constructor(decoders: Decoders) {
    this.#decoders = decoders
  }

  /** @throws {Refused} for a choice that there is not */
  async view(shown: Shown, choice: string | undefined, isWhole: boolean): Promise<DecodedView> {
    const own = this.#decoders.find(shown.store, shown.key)
    const way = wayOf(shown, own, choice)
    const common = { by: way.by, own: own?.title }
    try {
      const decoded = await this.#decoded(shown, way)
      const { steps: as, kind, text, type, characters = text?.length } = decoded
      const cut = text?.slice(0, isWhole ? mostShown : firstShown)
      return { ...common, as, kind, type, text: cut, characters, edits: editsOf(way, decoded) }
    } catch (error) {
      if (error instanceof Refused) throw error
      return { ...common, as: namesOf(way), kind: 'hex', error: messageOf(error) }
    }
  }

  /** The image that a value is, in bytes. @throws {Refused} if it is none */
  async image(shown: Shown, choice: string | undefined): Promise<Decoded> {
    const way = wayOf(shown, this.#decoders.find(shown.store, shown.key), choice)
    const decoded = await this.#decoded(shown, way).catch((error: unknown) => {
      throw error instanceof Refused ? error : new Refused(400, 'BAD_REQUEST', messageOf(error))
    })
    if (decoded.kind === 'image') return decoded
    throw new Refused(400, 'BAD_REQUEST', 'This value is not an image.')
  }

  /** The bytes of a value that was edited. @throws {StoreError} `INVALID_VALUE` */
  async encode(store: string, key: string, value: unknown): Promise<Uint8Array> {
    const own = this.#decoders.find(store, key)
    const [step] = own?.steps ?? []
    try {
      if (own?.own?.encode !== undefined) return await own.own.encode(value, { key })
      if (step?.as === 'module')
        return await this.#thread.encode({ type: 'encode', module: step.module, value, key })
    } catch (cause) {
      throw new StoreError('INVALID_VALUE', `The decoder cannot encode this value: ${messageOf(cause)}`, {
        cause,
      })
    }
    throw new Refused(400, 'BAD_REQUEST', 'No decoder of this key can encode a value, so it is read-only.')
  }

  /** End the thread. */
  close(): void {
    this.#thread.close()
  }

  async #decoded({ value, body, key, served }: Shown, { steps, own }: Way): Promise<Decoded> {
    if (steps === 'value')
      return { steps: [served.records.codec?.name ?? 'value'], kind: 'json', text: displayOf(value) }
    const [first, ...others] = steps
    // The page itself shows these, as far as they are shown.
    if (steps !== 'guess' && own?.own === undefined && others.length === 0 && isPlain(first as Step))
      return { steps: [(first as Step).as], kind: (first as Step).as as 'json' }
    if (steps === 'guess') {
      const as = atOnce(body) ?? (body.length > mostDecoded ? 'hex' : undefined)
      if (as !== undefined) return { steps: [as], kind: as }
    }
    if (body.length > mostDecoded)
      throw new DecodeFailure(
        `Values above ${mostDecoded / 1_048_576} MiB are not decoded. Download it instead.`,
      )
    if (own?.own !== undefined) return byFunction(own.own, body, key)
    return this.#thread.decode({ type: 'decode', bytes: body, steps, key })
  }
}

function isPlain(step: Step | undefined): boolean {
  return step !== undefined && ['json', 'text', 'hex'].includes(step.as)
}

function wayOf({ served }: Shown, own: OwnDecoder | undefined, choice: string | undefined): Way {
  if (choice === 'own' && own !== undefined) return { by: 'you', steps: own.steps, own }
  if (choice !== undefined) {
    const steps = chosenSteps(choice)
    if (steps !== undefined) return { by: 'you', steps }
    throw new Refused(400, 'BAD_REQUEST', `There is no decoder '${choice}' here.`)
  }
  if (own !== undefined) return { by: 'the configuration', steps: own.steps, own }
  const { contentType, records } = served
  if (contentType === 'application/json') return { by: 'the layers', steps: [{ as: 'json' }] }
  if (contentType.startsWith('text/')) return { by: 'the layers', steps: [{ as: 'text' }] }
  if (records.codec !== undefined && records.codec.name !== 'bytes')
    return { by: 'the layers', steps: 'value' }
  return { by: 'the first bytes', steps: 'guess' }
}

function namesOf({ steps, own }: Way): readonly string[] {
  if (own?.own !== undefined) return ['own function']
  return typeof steps === 'string' ? ['hex'] : steps.map(({ as }) => as)
}

function editsOf({ own, steps }: Way, { steps: made, canEncode }: Decoded): DecodedView['edits'] {
  if (own !== undefined && canEncode === true) return 'value'
  const isText = made.length === 1 && (made[0] === 'json' || made[0] === 'text')
  return isText && steps !== 'value' ? 'text' : undefined
}

async function byFunction(
  { decode, encode }: NonNullable<OwnDecoder['own']>,
  body: Buffer,
  key: string,
): Promise<Decoded> {
  const late = pause(ownMs, { ref: false }).then(() => {
    throw new DecodeFailure(`Decoding took longer than ${ownMs / 1_000} s.`)
  })
  const value: unknown = await Promise.race([decode?.(body, { key }), late])
  const canEncode = encode !== undefined
  const text = typeof value === 'string' ? value : displayOf(value)
  return { steps: ['own function'], kind: typeof value === 'string' ? 'text' : 'json', text, canEncode }
}

function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error)
}
