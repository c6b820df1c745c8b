import { main } from "./main.js";

// The commands where everything is there already, as in an image: `bin/parley` installs and builds first.
process.exitCode = await main(process.argv.slice(2));
