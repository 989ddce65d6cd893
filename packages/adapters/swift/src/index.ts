export { prepareSwift, type SwiftNative, type SwiftStore, swift } from './swift.ts'
export type { SwiftCapabilities } from './swift-capabilities.ts'
export type { SwiftAuth, SwiftDurability, SwiftOptions, SwiftV1Auth, SwiftV3Auth } from './swift-options.ts'
