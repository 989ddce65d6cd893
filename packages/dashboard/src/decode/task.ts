import type { DecoderName } from '@unikv/manager'

/** A step of decoding. */
export type Step =
  | { readonly as: Exclude<DecoderName, 'protobuf'> }
  /** Paths are absolute. */
  | { readonly as: 'protobuf'; readonly proto: string; readonly message: string }
  | { readonly as: 'module'; readonly module: string }

/** Work of the thread that decodes: bytes to be shown, or a value of a module's decoder to be encoded. */
export type Task =
  | {
      readonly type: 'decode'
      readonly bytes: Uint8Array
      /** `guess`: the first bytes decide, as they do after a step that only unpacks. */
      readonly steps: readonly Step[] | 'guess'
      readonly key: string
    }
  | { readonly type: 'encode'; readonly module: string; readonly value: unknown; readonly key: string }

/** Bytes that were decoded. */
export interface Decoded {
  /** Names of the steps that were made. */
  readonly steps: readonly string[]
  readonly kind: 'json' | 'text' | 'hex' | 'image'
  /** Only `json` and `text` have it; at most `mostText` characters. */
  readonly text?: string
  /** The length of the whole text, if it is longer. */
  readonly characters?: number
  /** The media type of an image. */
  readonly type?: string
  /** The bytes of an image, and those that were unpacked and could not be decoded further. */
  readonly bytes?: Uint8Array
  /** A value of this decoder can be encoded again. */
  readonly canEncode?: boolean
}
