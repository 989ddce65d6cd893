declare module 'parse-prometheus-text-format' {
  interface Sample {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly buckets?: Readonly<Record<string, string>>
    readonly count?: string
    readonly sum?: string
  }
  export default function parse(text: string): {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: readonly Sample[]
  }[]
}
