import type { AnyStore, NotModified, Version } from '@unikv/core'
import type {
  ByteSource,
  RecordCalls,
  RecordStreams,
  StreamedValue,
  StreamReadSettings,
  StreamWriteSettings,
} from '@unikv/core/adapter'
import { type PartsSettings, type Sizes, sizesOver } from '../options.ts'
import { StreamReading } from './stream-reading.ts'
import { StreamWriting } from './stream-writing.ts'

/** Values of one stack as streams. */
export class Streams implements RecordStreams {
  readonly #calls: RecordCalls
  readonly #settings: PartsSettings
  readonly #sizes: Sizes
  readonly #inner: AnyStore

  constructor(calls: RecordCalls, inner: AnyStore, settings: PartsSettings) {
    this.#calls = calls
    this.#settings = settings
    this.#inner = inner
    this.#sizes = sizesOver(inner.capabilities, settings)
  }

  get maxValueBytes(): number {
    return this.#sizes.maxValueBytes
  }

  read(key: string, settings: StreamReadSettings = {}): Promise<StreamedValue | NotModified | undefined> {
    return new StreamReading(this.#calls, this.#inner, this.#settings, key, settings).open()
  }

  async write(
    key: string,
    source: ByteSource,
    settings: StreamWriteSettings = {},
  ): Promise<Version | undefined> {
    return new StreamWriting(this.#calls, this.#sizes, this.#settings, key, settings).write(source)
  }
}
