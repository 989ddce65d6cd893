import type { Client, NativePlace } from '../native/native-client.ts'

/** A library over one kind of store. */
export interface PeerStore {
  /** Packages of the user's project that it needs. */
  readonly packages: readonly string[]
  /** Its values are texts. */
  readonly open: (url: string, place: Pick<NativePlace, 'name'>) => Promise<PeerClient>
}

/** The library with its connection. */
export interface PeerClient {
  readonly client: Client<string>
  close(this: void): Promise<unknown>
}
