import "./api/schema-policy.js";
import "./style/base.css";
import "./style/parts.css";
import "./style/shell.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Application } from "./application.js";
import { showTheme, storedTheme } from "./shell/theme.js";

showTheme(storedTheme());
const place = document.getElementById("console");
if (place !== null)
  createRoot(place).render(
    <StrictMode>
      <Application />
    </StrictMode>,
  );
