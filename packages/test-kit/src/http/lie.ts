/** An answer with its whole body. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Buffer
}

/** One way in which a server, or what stands before it, answers otherwise than it should. */
export interface HttpLie {
  readonly title: string
  /** The server is not asked at all: what answers has nothing to do with it. */
  readonly instead?: boolean
  /** A whole answer, or the first bytes of one and what happens to the connection then. */
  readonly tell: (truth: HttpAnswer) => HttpAnswer | HalfAnswer
}

/** `silence`: nothing more comes, and the connection stays open. */
interface HalfAnswer {
  readonly bytes: Buffer
  readonly after: 'end' | 'silence'
}
