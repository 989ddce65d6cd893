import { Opener } from '../../src/envelope/opener.ts'
import { Sealer } from '../../src/envelope/sealer.ts'
import { type Algorithm, keyring, type RecordKind } from '../../src/index.ts'
import { root1, root2 } from '../records.ts'

/** What a record is sealed for. */
export interface Place {
  readonly dataset: string
  readonly key: string
  readonly kind: RecordKind
  readonly codec: string
  readonly context: string
}

/** How a record is sealed. */
export interface Form {
  readonly algorithm: Algorithm
  readonly keyId: 'k1' | 'k2'
  /** Of values; 0: none. */
  readonly paddedTo: number
  /** 0: in one piece. */
  readonly chunkBytes: number
}

/** What is judged: a way to seal, and one to open. */
export interface Subject {
  readonly seal: (value: Buffer, place: Place, form: Form) => Buffer
  /** Gives the value, or throws. */
  readonly open: (envelope: Buffer, place: Place) => Uint8Array
}

/** The root keys of the judged, by key identifier. */
export const roots: Readonly<Record<Form['keyId'], string>> = { k1: root1, k2: root2 }

const ringOf = (primary: Form['keyId']) => keyring({ primary, keys: roots })
const rings = { k1: ringOf('k1'), k2: ringOf('k2') }

/** The package itself. */
export const ours: Subject = {
  seal: (value, place, { algorithm, keyId, paddedTo, chunkBytes }) =>
    new Sealer({
      keys: rings[keyId],
      algorithm,
      ...place,
      padding: paddedTo === 0 ? 'none' : { toMultipleOf: paddedTo },
      ...(chunkBytes === 0 ? {} : { chunkAboveBytes: 0, chunkBytes }),
    }).batch()(place.key, value),
  open: (envelope, place) => new Opener({ keys: rings.k1, ...place }).batch()(place.key, envelope),
}
