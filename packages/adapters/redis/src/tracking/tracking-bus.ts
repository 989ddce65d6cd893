/** Messages of the server about its keys, as a bus that `cache({ bus })` of `@unikv/cache` takes. */
export interface RedisTracking {
  readonly name: 'redis'
  /** Keys need not be told. */
  readonly storeTells: true
  /** Take part: two connections are opened, and again whenever they are lost. */
  join(listener: RedisTrackingListener): RedisTrackingMember
}

/** Callbacks of a member. None of them may throw. */
export interface RedisTrackingListener {
  /** From now on all changes are told. */
  up(): void
  /** From now on anything may be missed, until `up`. */
  down(): void
  /** These keys were changed, by any client. */
  written(writes: readonly { readonly key: string; readonly version: undefined }[]): void
  /** All keys may have been changed. */
  missed(): void
  /** A ping of this member came back. */
  echo(token: number): void
}

/** A member that is told. */
export interface RedisTrackingMember {
  /** The server tells of keys; `'all'` has all members told that all may have changed. */
  tell(writes: readonly unknown[] | 'all'): Promise<void>
  /** Comes back as `echo`, after all changes that were acknowledged before it was sent. */
  ping(token: number): Promise<void>
  /** Close both connections. */
  leave(): Promise<void>
}
