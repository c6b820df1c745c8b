/** Style sheets, which the bundler takes. */
declare module "*.css";
